#include "requests.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/games.h"
#include "envs/env_requests.h"
#include "server_inside.h"

/* ---- Games and the session itself --------------------------------------------------------------------------- */

/* The game of the first two arguments. */
static struct mh_game *open_game(struct request *request)
{
    char options[GAMES_OPTIONS] = "";
    return games_open("", wire_arg(&request->args, 0), wire_arg(&request->args, 1), options, &request->error);
}

static int describe(struct request *request)
{
    struct mh_game *game = open_game(request);
    if (!game) {
        return -1;
    }
    const size_t size = mh_game_describe(game, NULL, 0) + 1;
    char *json = malloc(size);
    int results = json ? answer_begin(&request->answer, 2 * size, &request->error)
                       : wire_refuse(&request->error, "memory", "describe: no memory for a description");
    if (results == 0) {
        (void)mh_game_describe(game, json, size);
        wire_json(&request->answer.out, json);
        results = 1;
    }
    free(json);
    mh_game_free(&game);
    return results;
}

static int write_action(const struct mh_game *game, const msgpack_object *action, struct wire_out *out,
                        struct wire_error *error)
{
    char text[MH_TEXT_SIZE] = "";
    struct mh_sizes sizes;
    mh_game_sizes(game, &sizes);
    if (action->type == MSGPACK_OBJECT_STR) {
        if (wire_read_text(action, "action", text, sizeof text, error) != 0) {
            return -1;
        }
        const int id = mh_action_id(game, text);
        if (id < 0) {
            return wire_refuse(error, "argument", "action: no action reads '%s'", text);
        }
        wire_int(out, id);
        return 1;
    }
    int64_t id = -1;
    if (wire_is_nil(action) || wire_read_int(action, "action", 0, sizes.actions - 1, &id, error) != 0) {
        return wire_refuse(error, "argument", "action: neither an id from 0 to %d nor a text",
                           (int)sizes.actions - 1);
    }
    mh_action_text(game, (int)id, text);
    wire_text(out, text);
    return 1;
}

static int text_of(struct request *request)
{
    struct mh_game *game = open_game(request);
    if (!game) {
        return -1;
    }
    int results = answer_begin(&request->answer, MH_TEXT_SIZE, &request->error);
    if (results == 0) {
        results = write_action(game, wire_arg(&request->args, 2), &request->answer.out, &request->error);
    }
    mh_game_free(&game);
    return results;
}

/* Is answered even where replies pile up unread: a client that is slow is alive, and may leave. As errors, such replies
 * are small, and ZeroMQ drops those of a client that reads none. */
static int answer_always(struct request *request)
{
    request->answer.pool = NULL;
    return answer_begin(&request->answer, 0, &request->error);
}

static int ping(struct request *request)
{
    return answer_always(request);
}

/* The session ends after its reply was sent. */
static int bye(struct request *request)
{
    const int results = answer_always(request);
    request->session->is_over = results >= 0;
    return results;
}

/* ---- Environments come and go ------------------------------------------------------------------------------- */

static struct env_limits limits_of(const struct server *server, const struct session *session)
{
    const struct server_options *options = &server->options;
    const int of_key = options->rows_per_key - server_usage(server, session->key).rows;
    const int of_session = options->rows_per_session - session->envs.rows;
    const int is_key = of_key <= of_session;
    const int left =
        is_key ? of_key : of_session; /* less than none where the limits were higher before a restart */
    return (struct env_limits){.bots = options->bots,
                               .rows = left > 0 ? left : 0,
                               .of_rows = is_key ? LIMIT_ROWS : LIMIT_ROWS_PER_SESSION,
                               .rows_in_flight = options->rows_in_flight,
                               .window = session->window};
}

static int make(struct request *request)
{
    struct server *server = request->server;
    struct session *session = request->session;
    const struct env_limits none = {
        .bots = GAMES_ANY_BOT, .rows = INT_MAX, .rows_in_flight = INT_MAX, .window = session->window};
    const struct env_limits limits = server->is_replaying ? none : limits_of(server, session);
    if (!server->is_replaying &&
        rate_check(&server->new_environments, session->key, request->now_ms, &request->error) != 0) {
        return -1;
    }
    int results = envs_make(&session->envs, &limits, &request->args, &request->answer, &request->error);
    if (results >= 0 && !server->is_replaying &&
        server_check_bytes(server, session->key, session, session_most_bytes(session, session->window),
                           &request->error) != 0) {
        envs_unmake(&session->envs);
        results = -1;
    }
    if (results >= 0 && !server->is_replaying) {
        rate_count(&server->new_environments, session->key, request->now_ms);
    }
    session->holds = 1;
    session_set_window(session, session->window);
    return results;
}

static int close_env(struct request *request)
{
    struct session *session = request->session;
    if (answer_begin(&request->answer, 0, &request->error) != 0) {
        return -1;
    }
    envs_close(&session->envs, request->env);
    session_set_window(session, session->window);
    return 0;
}

/* ---- Tables ------------------------------------------------------------------------------------------------- */

static int ask_tables(struct request *request, tables_handler *run)
{
    enum { RESULTS = 1024 };
    struct session *session = request->session;
    if (answer_begin(&request->answer, RESULTS, &request->error) != 0) {
        return -1;
    }
    const struct tables_player player = server_player(session);
    session->holds = session->sits = 1;
    return run(request->server->tables, &player, &request->args, request->now_ms, &request->answer.out,
               &request->error);
}

/* A client is a guest, or sits at a table. */
static int take_seat(struct request *request, tables_handler *run)
{
    return guests_is_guest(request->session)
               ? wire_refuse(&request->error, "table", "you are a guest, as %s: stand up first",
                             request->session->guest.name)
               : ask_tables(request, run);
}

static int sit(struct request *request)
{
    return take_seat(request, tables_sit);
}

static int play(struct request *request)
{
    return take_seat(request, tables_play);
}

static int list_tables(struct request *request)
{
    return ask_tables(request, tables_list);
}

static int stand(struct request *request)
{
    if (!guests_is_guest(request->session)) {
        return ask_tables(request, tables_stand);
    }
    guests_leave(&request->server->guests, request->session);
    return answer_begin(&request->answer, 0, &request->error);
}

static int back(struct request *request)
{
    return ask_tables(request, tables_back);
}

static int picture(struct request *request)
{
    return ask_tables(request, tables_picture);
}

/* The question's number is its first argument, where other requests have their seq. */
static int act(struct request *request)
{
    const struct wire_args args = {request->args.items - 1, request->args.count + 1};
    if (guests_is_guest(request->session)) {
        return guests_act(&request->server->guests, request->session, &args, &request->error);
    }
    const struct tables_player player = server_player(request->session);
    return tables_act(request->server->tables, &player, &args, request->now_ms, &request->error);
}

/* ---- Guests ------------------------------------------------------------------------------------------------- */

static int ask_guests(struct request *request, guests_handler *run)
{
    enum { RESULTS = 256 };
    if (answer_begin(&request->answer, RESULTS, &request->error) != 0) {
        return -1;
    }
    request->session->holds = 1;
    return run(&request->server->guests, request->session, &request->args, &request->answer.out, &request->error);
}

static int wait_for_host(struct request *request)
{
    return tables_is_seated(request->server->tables, request->session->token)
               ? wire_refuse(&request->error, "table", "you sit at a table: stand up first")
               : ask_guests(request, guests_wait);
}

static int invite(struct request *request)
{
    struct rate *rate = &request->server->new_invitations;
    if (rate_check(rate, request->session->key, request->now_ms, &request->error) != 0) {
        return -1;
    }
    rate_count(rate, request->session->key, request->now_ms);
    request->session->hosts = 1;
    return ask_guests(request, guests_invite);
}

static int tell_guest(struct request *request)
{
    return ask_guests(request, guests_tell);
}

static int dismiss(struct request *request)
{
    return ask_guests(request, guests_dismiss);
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

/* In the order in which PROTOCOL.md describes them. */
static const struct request_kind kinds[] = {
    {"hello", NULL, REQUEST_HELLO}, /* see hello.h: it needs no session */
    {"describe", describe, REQUEST_AGAIN},
    {"text", text_of, REQUEST_AGAIN},
    {"ping", ping, REQUEST_AGAIN},
    {"bye", bye, REQUEST_AGAIN},
    {"make", make, REQUEST_AGAIN},
    {"reset", env_reset, REQUEST_ENV | REQUEST_AGAIN},
    {"step", env_step, REQUEST_ENV | REQUEST_AGAIN},
    {"sample", env_sample, REQUEST_ENV | REQUEST_AGAIN},
    {"deal", env_deal, REQUEST_ENV | REQUEST_AGAIN},
    {"save", env_save, REQUEST_ENV | REQUEST_AGAIN},
    {"load", env_load, REQUEST_ENV | REQUEST_AGAIN},
    {"copy", env_copy, REQUEST_ENV | REQUEST_AGAIN},
    {"state", env_state, REQUEST_ENV | REQUEST_AGAIN},
    {"words", env_words, REQUEST_ENV | REQUEST_AGAIN},
    {"omniscient", env_omniscient, REQUEST_ENV | REQUEST_AGAIN},
    {"close", close_env, REQUEST_ENV | REQUEST_AGAIN},
    {"sit", sit, REQUEST_SEAT},
    {"play", play, REQUEST_SEAT},
    {"tables", list_tables, 0},
    {"stand", stand, REQUEST_SEAT},
    {"back", back, 0},
    {"picture", picture, 0},
    {"act", act, REQUEST_UNNUMBERED},
    {"wait", wait_for_host, 0},
    {"invite", invite, 0},
    {"tell", tell_guest, 0},
    {"dismiss", dismiss, 0},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

_Static_assert((int)KINDS < (int)METER_KINDS, "times of requests are counted by kind");

int requests_place(const struct request_kind *kind)
{
    return kind ? (int)(kind - kinds) : METER_KINDS - 1;
}

const char *requests_name(int place)
{
    return place < KINDS ? kinds[place].name : NULL;
}

const struct request_kind *requests_find(const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static int refuse_unknown(const char *name, struct wire_error *error)
{
    char names[MH_MESSAGE_SIZE] = "";
    size_t length = 0;
    for (size_t i = 0; i < KINDS && length < sizeof names; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", kinds[i].name);
    }
    return wire_refuse(error, "request", "no request is called '%s'; there are %s", name, names);
}

int requests_run(const struct request_kind *kind, const char *name, struct request *request)
{
    if (!kind) {
        return refuse_unknown(name, &request->error);
    }
    if (kind->flags & REQUEST_ENV) {
        request->env = envs_find(&request->session->envs, &request->args, &request->error);
        if (!request->env) {
            return -1;
        }
    }
    return kind->run(request);
}
