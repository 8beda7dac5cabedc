#include "session.h"

#include <stdlib.h>
#include <string.h>

static struct session **new_list(int space)
{
    return (struct session **)calloc((size_t)space, sizeof(struct session *));
}

int sessions_init(struct sessions *self, int usual)
{
    int space = 1;
    while (space < usual) {
        space *= 2;
    }
    *self = (struct sessions){.space = space};
    self->by_id = new_list(space);
    self->by_token = new_list(space);
    self->by_connection = new_list(space);
    self->taken_over = calloc((size_t)space, sizeof *self->taken_over);
    if (!self->by_id || !self->by_token || !self->by_connection || !self->taken_over) {
        sessions_free(self);
        return -1;
    }
    return 0;
}

void sessions_free(struct sessions *self)
{
    while (self->newest) {
        sessions_remove(self, self->newest);
    }
    free((void *)self->by_id);
    free((void *)self->by_token);
    free((void *)self->by_connection);
    free(self->taken_over);
    *self = (struct sessions){.by_id = NULL};
}

/* ---- Lists -------------------------------------------------------------------------------------------------- */

/* The bucket of an id or a connection. */
static size_t bucket_of(const struct sessions *self, uint64_t number)
{
    return (size_t)number & ((size_t)self->space - 1);
}

/* Tokens are random bits. */
static size_t bucket_of_token(const struct sessions *self, const unsigned char *token)
{
    size_t bits;
    memcpy(&bits, token, sizeof bits);
    return bits & ((size_t)self->space - 1);
}

static void leave_ids(struct sessions *self, const struct session *session)
{
    struct session **link = &self->by_id[bucket_of(self, session->id)];
    while (*link != session) {
        link = &(*link)->next_by_id;
    }
    *link = session->next_by_id;
}

static void leave_connection(struct sessions *self, struct session *session)
{
    struct session **link = &self->by_connection[bucket_of(self, session->connection)];
    while (*link != session) {
        link = &(*link)->next_by_connection;
    }
    *link = session->next_by_connection;
    session->connection = 0;
}

static void leave_token(struct sessions *self, const struct session *session)
{
    struct session **link = &self->by_token[bucket_of_token(self, session->token)];
    while (*link != session) {
        link = &(*link)->next_by_token;
    }
    *link = session->next_by_token;
}

static void leave_order(struct sessions *self, const struct session *session)
{
    *(session->newer ? &session->newer->older : &self->newest) = session->older;
    *(session->older ? &session->older->newer : &self->oldest) = session->newer;
}

static void enter_order(struct sessions *self, struct session *session)
{
    session->newer = NULL;
    session->older = self->newest;
    *(self->newest ? &self->newest->newer : &self->oldest) = session;
    self->newest = session;
}

void sessions_wait(struct sessions *self, struct session *session)
{
    if (!session->is_busy) {
        *(self->last_busy ? &self->last_busy->next_busy : &self->first_busy) = session;
        self->last_busy = session;
        session->is_busy = 1;
    }
}

struct session *sessions_next(struct sessions *self)
{
    struct session *session = self->first_busy;
    if (session) {
        self->first_busy = session->next_busy;
        self->last_busy = self->first_busy ? self->last_busy : NULL;
        session->next_busy = NULL;
        session->is_busy = 0;
    }
    return session;
}

static void leave_line(struct sessions *self, const struct session *session)
{
    struct session *before = NULL;
    for (struct session *other = self->first_busy; other && other != session; other = other->next_busy) {
        before = other;
    }
    if (session->is_busy) {
        *(before ? &before->next_busy : &self->first_busy) = session->next_busy;
        self->last_busy = self->last_busy == session ? before : self->last_busy;
    }
}

/* ---- Sessions come and go ----------------------------------------------------------------------------------- */

struct session *sessions_add(struct sessions *self, const unsigned char *token, const char *key, int64_t now_ms)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session) {
        return NULL;
    }
    session->id = ++self->made;
    struct session **of_id = &self->by_id[bucket_of(self, session->id)];
    session->next_by_id = *of_id;
    *of_id = session;
    self->count++;
    session->line.all = &self->waiting;
    session->next = 1;
    session->heard = now_ms;
    memcpy(session->token, token, SESSION_TOKEN);
    memcpy(session->key, key, strlen(key) + 1);
    const size_t bucket = bucket_of_token(self, token);
    session->next_by_token = self->by_token[bucket];
    self->by_token[bucket] = session;
    enter_order(self, session);
    session_set_window(session, 1);
    return session;
}

void sessions_remove(struct sessions *self, struct session *session)
{
    sessions_connect(self, session, 0);
    leave_token(self, session);
    leave_order(self, session);
    leave_line(self, session);
    leave_ids(self, session);
    self->count--;
    for (int i = 0; i < SESSION_MAX_WINDOW; i++) {
        wire_release(session->answered[i].answer);
    }
    wire_release(session->guest.question);
    wire_release(session->guest.said);
    while (session->line.first) {
        request_line_drop(&session->line);
    }
    session_end_waking(session);
    envs_free(&session->envs);
    pool_free(&session->pool);
    journal_forget(&session->journal);
    free(session);
}

struct session *sessions_by_token(const struct sessions *self, const unsigned char *token)
{
    struct session *session = self->by_token[bucket_of_token(self, token)];
    while (session && memcmp(session->token, token, SESSION_TOKEN) != 0) {
        session = session->next_by_token;
    }
    return session;
}

struct session *sessions_by_connection(const struct sessions *self, uint64_t connection)
{
    struct session *session = self->by_connection[bucket_of(self, connection)];
    while (session && session->connection != connection) {
        session = session->next_by_connection;
    }
    return session;
}

struct session *sessions_by_id(const struct sessions *self, uint64_t id)
{
    struct session *session = self->by_id[bucket_of(self, id)];
    while (session && session->id != id) {
        session = session->next_by_id;
    }
    return session;
}

void sessions_connect(struct sessions *self, struct session *session, uint64_t connection)
{
    if (session->connection) {
        if (connection && connection != session->connection) {
            self->taken_over[bucket_of(self, session->connection)] = session->connection;
        }
        leave_connection(self, session);
    }
    if (connection) {
        const size_t bucket = bucket_of(self, connection);
        if (sessions_taken_over(self, connection)) {
            self->taken_over[bucket] = 0;
        }
        session->connection = connection;
        session->next_by_connection = self->by_connection[bucket];
        self->by_connection[bucket] = session;
    }
}

int sessions_taken_over(const struct sessions *self, uint64_t connection)
{
    return self->taken_over[bucket_of(self, connection)] == connection;
}

void sessions_touch(struct sessions *self, struct session *session, int64_t now_ms)
{
    session->heard = now_ms;
    if (self->newest != session) {
        leave_order(self, session);
        enter_order(self, session);
    }
}

/* ---- Waking ------------------------------------------------------------------------------------------------- */

struct waking *session_begin_waking(struct session *self)
{
    if (!self->waking) {
        self->waking = calloc(1, sizeof *self->waking);
    }
    return self->waking;
}

void session_end_waking(struct session *self)
{
    struct waking *waking = self->waking;
    if (waking) {
        wire_drop(&waking->request.answer.out);
        env_reading_free(&waking->reading);
        envs_free(&waking->envs);
        msgpack_zone_free(waking->zone);
        journal_close(&waking->file);
        free(waking);
        self->waking = NULL;
    }
}

/* ---- Answers ------------------------------------------------------------------------------------------------ */

static void forget(struct session *self, uint64_t place)
{
    struct wire_message **answer = &self->answered[place].answer;
    self->pool.kept -= *answer ? (*answer)->capacity : 0;
    wire_release(*answer);
    *answer = NULL;
}

/* FNV-1a, by words of eight bytes. */
uint64_t session_fingerprint(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u ^ size;
    for (size_t i = 0; i < size; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < sizeof word ? size - i : sizeof word);
        wire_order(&word, sizeof word, sizeof word);
        hash = (hash ^ word) * 0x100000001B3u;
        hash ^= hash >> 32;
    }
    return hash;
}

void session_remember(struct session *self, uint64_t seq, uint64_t request, struct wire_message *answer)
{
    const uint64_t place = seq % SESSION_MAX_WINDOW;
    forget(self, place);
    forget(self, (seq + SESSION_MAX_WINDOW - (uint64_t)self->window) % SESSION_MAX_WINDOW); /* out of the window */
    self->answered[place].seq = seq;
    self->answered[place].request = request;
    self->answered[place].answer = answer;
    self->pool.kept += answer ? answer->capacity : 0;
    self->next = seq == self->next ? seq + 1 : self->next;
}

struct wire_message *session_answer(const struct session *self, uint64_t seq)
{
    const uint64_t place = seq % SESSION_MAX_WINDOW;
    return self->answered[place].seq == seq ? self->answered[place].answer : NULL;
}

uint64_t session_request(const struct session *self, uint64_t seq)
{
    return self->answered[seq % SESSION_MAX_WINDOW].request;
}

/* Beside the replies that are remembered there is room for as many on their way to the client. Those of an environment
 * that has been closed are larger than any to come; while they are remembered they take no room from the others. */
static size_t bytes_on_their_way(const struct session *self, int window)
{
    enum { REPLY = 1 << 16 };
    const size_t reply = self->envs.reply_size > REPLY ? self->envs.reply_size : REPLY;
    return ((size_t)window + 1) * reply + self->envs.kept_size;
}

size_t session_most_bytes(const struct session *self, int window)
{
    return 2 * bytes_on_their_way(self, window);
}

void session_set_window(struct session *self, int window)
{
    for (int i = 0; i < SESSION_MAX_WINDOW; i++) {
        if (self->answered[i].seq + (uint64_t)window < self->next) {
            forget(self, (uint64_t)i);
        }
    }
    self->window = window;
    self->pool.limit = bytes_on_their_way(self, window);
}
