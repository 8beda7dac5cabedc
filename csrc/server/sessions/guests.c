#include "guests.h"

#include <string.h>

#include "common/limit.h"
#include "common/names.h"
#include "mh.h"
#include "tables/tables_host.h"

static void send_to_guest(struct guests *self, uint64_t session, struct wire_message *message)
{
    if (message && session) {
        self->host.tell(self->host.context, session, message);
    }
}

static void say_once(struct guests *self, uint64_t session, struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    send_to_guest(self, session, message);
    wire_release(message);
}

/* Sends [name, number]. Returns whether a client takes it. */
static int reach(struct guests *self, uint64_t session, const char *name, uint64_t number)
{
    struct wire_out out;
    wire_begin_named(&out, 32, 2, name, number);
    struct wire_message *message = wire_finish(&out);
    const int failed = message && self->host.reach(self->host.context, session, message) != 0;
    wire_release(message);
    return !failed;
}

static void forget_question(struct guest *guest)
{
    wire_release(guest->question);
    guest->question = NULL;
}

/* Ends what is between a guest and its host. */
static void part(struct guest *guest)
{
    forget_question(guest);
    wire_release(guest->said);
    guest->said = NULL;
    guest->host = 0;
}

/* ---- Guests ------------------------------------------------------------------------------------------------- */

static int read_wish(const struct wire_args *args, struct guest *wish, struct wire_error *error)
{
    const msgpack_object *map = wire_arg_map(args, 0, error);
    if (!map || names_read(wire_key(map, "name"), "name", wish->name, sizeof wish->name, error) != 0 ||
        wire_read_text(wire_key(map, "game"), "game", wish->game, sizeof wish->game, error) != 0) {
        return -1;
    }
    return wish->name[0] ? 0 : wire_refuse(error, "argument", "name: missing; hosts invite by it");
}

int guests_wait(struct guests *self, struct session *session, const struct wire_args *args, struct wire_out *out,
                struct wire_error *error)
{
    struct guest wish = {.name = ""};
    struct guest *guest = &session->guest;
    (void)out;
    if (read_wish(args, &wish, error) != 0) {
        return -1;
    }
    if (guest->host && (strcmp(wish.name, guest->name) != 0 || strcmp(wish.game, guest->game) != 0)) {
        return wire_refuse(error, "table", "you are a guest already, as %s: stand up first", guest->name);
    }
    memcpy(guest->name, wish.name, sizeof guest->name);
    memcpy(guest->game, wish.game, sizeof guest->game);
    guest->number = guest->number ? guest->number : ++self->made;
    return 0;
}

void guests_leave(struct guests *self, struct session *session)
{
    struct guest *guest = &session->guest;
    struct wire_out out;
    if (guest->host) {
        wire_begin_named(&out, 32, 2, "left", guest->number);
        say_once(self, guest->host, &out);
    }
    part(guest);
    guest->number = 0;
}

static void write_said(const struct guest *guest, const msgpack_object *action, struct wire_out *out)
{
    wire_begin_named(out, 64, 4, "said", guest->number);
    wire_uint(out, guest->turn);
    wire_object(out, action);
}

int guests_act(struct guests *self, struct session *session, const struct wire_args *args, struct wire_error *error)
{
    struct guest *guest = &session->guest;
    const msgpack_object *action = wire_arg(args, 1);
    char text[MH_TEXT_SIZE] = "";
    int64_t number = 0;
    int64_t turn = 0;
    if (wire_read_int(wire_arg(args, 0), "turn", 1, INT64_MAX, &turn, error) != 0 || (uint64_t)turn > guest->turn) {
        return wire_refuse(error, "turn", "this question was not asked yet");
    }
    if (!guest->question || (uint64_t)turn != guest->turn) {
        return wire_refuse(error, "late", "that question is no longer open");
    }
    const int is_read = action->type == MSGPACK_OBJECT_STR
                            ? wire_read_text(action, "action", text, sizeof text, error)
                            : wire_read_int(action, "action", 0, INT32_MAX, &number, error);
    if (wire_is_nil(action) || is_read != 0) {
        return wire_refuse(error, "illegal", "action: neither an id nor a text");
    }
    struct wire_out out;
    write_said(guest, action, &out);
    guest->said = wire_finish(&out);
    forget_question(guest);
    send_to_guest(self, guest->host, guest->said);
    return 0;
}

/* ---- Hosts -------------------------------------------------------------------------------------------------- */

/* Frees the guests of a session that has gone. */
static void free_guests(struct guests *self, uint64_t host)
{
    for (struct session *each = self->sessions->newest; each; each = each->older) {
        if (guests_is_guest(each) && each->guest.host == host) {
            part(&each->guest);
        }
    }
}

/* Why a session cannot be invited, or NULL. One that has left without a word is found out here, and so is one whose
 * host has. */
static const char *obstacle(struct guests *self, const struct session *host, struct session *session,
                            const struct guest *wish)
{
    struct guest *guest = &session->guest;
    if (session == host || !guests_is_guest(session) || strcmp(guest->name, wish->name) != 0) {
        return "others";
    }
    if (guest->game[0] && strcmp(guest->game, wish->game) != 0) {
        return "another game";
    }
    if (guest->is_silent) {
        return "silent";
    }
    if (guest->host && (guest->host == host->id || reach(self, guest->host, "wanted", guest->number))) {
        return "taken";
    }
    if (guest->host) {
        free_guests(self, guest->host);
    }
    guest->is_silent = !reach(self, session->id, "invited", 0);
    return guest->is_silent ? "silent" : NULL;
}

static void write_guest(const struct session *session, struct wire_out *out)
{
    wire_map(out, 4);
    wire_text(out, "guest");
    wire_uint(out, session->guest.number);
    wire_key_text(out, "client", session->client);
    wire_key_text(out, "observations", tables_forms[session->form]);
    wire_key_text(out, "actions", session->texts ? "texts" : "ids");
}

/* Takes, of several guests, the one that was heard last. */
int guests_invite(struct guests *self, struct session *session, const struct wire_args *args, struct wire_out *out,
                  struct wire_error *error)
{
    struct guest wish = {.name = ""};
    int taken = 0;
    int other = 0;
    if (read_wish(args, &wish, error) != 0) {
        return -1;
    }
    for (struct session *each = self->sessions->newest; each; each = each->older) {
        const char *reason = obstacle(self, session, each, &wish);
        if (!reason) {
            each->guest.host = session->id;
            write_guest(each, out);
            return 1;
        }
        taken += strcmp(reason, "taken") == 0;
        other += strcmp(reason, "another game") == 0;
    }
    return wire_refuse(error, "table", "no guest called %s waits (%d play, %d wait for another game)", wish.name,
                       taken, other);
}

static struct session *own_guest(const struct guests *self, const struct session *host,
                                 const struct wire_args *args, struct wire_error *error)
{
    int64_t number = 0;
    if (wire_read_int(wire_arg(args, 0), "guest", 1, INT64_MAX, &number, error) != 0) {
        return NULL;
    }
    for (struct session *each = self->sessions->newest; each; each = each->older) {
        if (guests_is_guest(each) && each->guest.number == (uint64_t)number && each->guest.host == host->id) {
            return each;
        }
    }
    (void)wire_refuse(error, "table", "guest %lld is not yours, or has left", (long long)number);
    return NULL;
}

/* A message to a guest. NULL with an error: it is long, and every guest could be made to hold one, or there is no
 * memory. */
static struct wire_message *finish_message(struct wire_out *out, struct wire_error *error)
{
    enum { MOST = 1 << 16 };
    struct wire_message *message = wire_finish(out);
    if (!message) {
        (void)wire_refuse(error, "memory", "tell: no memory for a message");
    } else if (message->size > MOST) {
        (void)limit_refuse(error, LIMIT_TOLD, "tell: a message of %zu bytes, and a guest is told at most %d",
                           message->size, MOST);
        wire_release(message);
        message = NULL;
    }
    return message;
}

/* [guest, "turn", left, observation, legal, events], which becomes the guest's next question. */
static int ask_guest(struct guests *self, struct session *session, const struct wire_args *args,
                     struct wire_error *error)
{
    enum { FIRST = 2, LAST = 5 };
    struct guest *guest = &session->guest;
    for (uint32_t i = FIRST; i <= LAST; i++) {
        if (wire_is_nil(wire_arg(args, i))) {
            return wire_refuse(error, "argument", "turn: left, observation, legal and events are wanted");
        }
    }
    struct wire_out out;
    wire_begin_named(&out, 1024, 2 + LAST - FIRST + 1, "turn", guest->turn + 1);
    for (uint32_t i = FIRST; i <= LAST; i++) {
        wire_object(&out, wire_arg(args, i));
    }
    struct wire_message *question = finish_message(&out, error);
    if (!question) {
        return -1;
    }
    forget_question(guest);
    wire_release(guest->said);
    guest->said = NULL;
    guest->question = question;
    guest->turn++;
    send_to_guest(self, session->id, question);
    return 0;
}

int guests_tell(struct guests *self, struct session *session, const struct wire_args *args, struct wire_out *out,
                struct wire_error *error)
{
    static const char *const kinds[] = {"turn", "start", "round", "end"};
    int kind = -1;
    struct wire_out message;
    struct session *guest = own_guest(self, session, args, error);
    for (uint32_t i = 0; i < args->count; i++) {
        if (!wire_is_readable(wire_arg(args, i))) {
            return wire_refuse(error, "argument",
                               "tell: argument %u has a text that is not UTF-8; send bytes as bin", i + 1);
        }
    }
    if (!guest || wire_read_word(wire_arg(args, 1), "message", kinds, sizeof kinds / sizeof *kinds, &kind, error)) {
        return -1;
    }
    if (kind == 0) {
        if (ask_guest(self, guest, args, error) != 0) {
            return -1;
        }
        wire_uint(out, guest->guest.turn);
        return 1;
    }
    const msgpack_object *content = wire_arg(args, 2);
    if (kind < 0 || content->type != MSGPACK_OBJECT_MAP) {
        return wire_refuse(error, "argument", "message: not turn, start, round or end with a map");
    }
    wire_begin_named(&message, 512, 3, kinds[kind], 0);
    wire_object(&message, content);
    struct wire_message *finished = finish_message(&message, error);
    send_to_guest(self, guest->id, finished);
    wire_release(finished);
    return finished ? 0 : -1;
}

int guests_dismiss(struct guests *self, struct session *session, const struct wire_args *args, struct wire_out *out,
                   struct wire_error *error)
{
    static const char *const codes[] = {"late", "illegal"};
    char text[MH_MESSAGE_SIZE] = "";
    int code = -1;
    struct wire_out message;
    struct session *guest = own_guest(self, session, args, error);
    (void)out;
    if (!guest || wire_read_word(wire_arg(args, 1), "code", codes, sizeof codes / sizeof *codes, &code, error) ||
        wire_read_text(wire_arg(args, 2), "text", text, sizeof text, error) != 0) {
        return -1;
    }
    guest->guest.is_silent = guest->guest.question != NULL;
    part(&guest->guest);
    if (code >= 0) {
        wire_begin_named(&message, sizeof text, 4, "error", guest->guest.turn);
        wire_text(&message, codes[code]);
        wire_text(&message, text);
        say_once(self, guest->id, &message);
    }
    return 0;
}

/* ---- Sessions ----------------------------------------------------------------------------------------------- */

void guests_resume(struct guests *self, const struct session *session)
{
    send_to_guest(self, session->id, session->guest.question);
    for (const struct session *each = self->sessions->newest; each && session->hosts; each = each->older) {
        if (guests_is_guest(each) && each->guest.host == session->id) {
            send_to_guest(self, session->id, each->guest.said);
        }
    }
}

void guests_gone(struct guests *self, struct session *session)
{
    guests_leave(self, session);
    if (session->hosts) {
        free_guests(self, session->id);
    }
}
