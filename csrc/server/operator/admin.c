#include "admin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/mh_text.h"
#include "door.h"
#include "sessions/server_inside.h"
#include "tables/lobby.h"

/* ---- List --------------------------------------------------------------------------------------------------- */

static void write_text(struct page *page, const char *name, const char *value)
{
    page_add(page, ", \"%s\": ", name);
    page_quote(page, value);
}

static const char *word(int value)
{
    return value ? "true" : "false";
}

static void write_session(const struct server *server, const struct session *session, int64_t now_ms,
                          struct page *page)
{
    const struct place *place = lobby_place(server->tables, session->token);
    page_add(page, "{\"session\": %" PRIu64, session->id);
    write_text(page, "client", session->client);
    page_add(page, ", \"connected\": %s, \"silent_ms\": %" PRId64 ", \"requests\": %" PRIu64 ", \"waiting\": %d",
             word(session->connection != 0), now_ms - session->heard, session->next - 1, session->line.count);
    page_add(page, ", \"environments\": %d, \"rows\": %d, \"guest\": %s", session->envs.count, session->envs.rows,
             word(guests_is_guest(session)));
    if (place) {
        write_text(page, "table", place->table->name);
    }
    page_add(page, "}\n");
}

static void write_table(const struct table *table, struct page *page)
{
    static const char *const phases[] = {
        [TABLE_WAITING] = "waiting", [TABLE_PLAYING] = "playing", [TABLE_OVER] = "over"};
    page_add(page, "{\"table\": ");
    page_quote(page, table->name);
    write_text(page, "phase", phases[table->phase]);
    write_text(page, "game", terms_spec(&table->terms)->id);
    page_add(page, ", \"number\": %" PRId64 ", \"games\": %" PRId64 ", \"free\": %d, \"players\": [", table->number,
             (int64_t)table->terms.games, table_free_seats(table));
    for (int i = 0, written = 0; i < table_seats(table); i++) {
        if (table->players[i].kind != PLAYER_NONE) {
            page_add(page, written++ ? ", " : "");
            page_quote(page, table->players[i].name);
        }
    }
    page_add(page, "]}\n");
}

static void run_list(struct server *server, const char *argument, int64_t now_ms, struct page *answer)
{
    const struct tables *tables = server->tables;
    (void)argument;
    page_add(answer, "{\"draining\": %s, \"writes\": %s, \"sessions\": %d, \"tables\": %d}\n",
             word(server->is_draining), word(!server->disk.is_late), server->sessions.count, tables->count);
    for (const struct session *session = server->sessions.newest; session; session = session->older) {
        write_session(server, session, now_ms, answer);
    }
    for (int i = 0; i < tables->count; i++) {
        write_table(tables->tables[i], answer);
    }
}

/* ---- Commands that change something ------------------------------------------------------------------------- */

static void refuse_command(struct page *answer, const char *text, const char *what)
{
    char words[MH_MESSAGE_SIZE];
    mh_message(words, "%s'%.80s'", text, what);
    page_add(answer, "{\"error\": ");
    page_quote(answer, words);
    page_add(answer, "}\n");
}

static void run_kick(struct server *server, const char *argument, int64_t now_ms, struct page *answer)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(argument, &end, 10);
    const int is_number = errno == 0 && *argument >= '0' && *argument <= '9' && *end == '\0';
    struct session *session = is_number ? sessions_by_id(&server->sessions, number) : NULL;
    if (!session) {
        refuse_command(answer, "list shows the numbers of sessions; there is none with ", argument);
        return;
    }
    server_end(server, session, now_ms);
    page_add(answer, "{\"kicked\": %llu}\n", number);
}

static void run_close(struct server *server, const char *argument, int64_t now_ms, struct page *answer)
{
    if (tables_end(server->tables, argument, now_ms) != 0) {
        refuse_command(answer, "list shows the names of tables; none that is not over has ", argument);
        return;
    }
    page_add(answer, "{\"closed\": ");
    page_quote(answer, argument);
    page_add(answer, "}\n");
}

static void run_drain(struct server *server, const char *argument, int64_t now_ms, struct page *answer)
{
    (void)argument;
    (void)now_ms;
    server_drain(server);
    page_add(answer, "{\"draining\": true}\n");
}

/* ---- Commands ----------------------------------------------------------------------------------------------- */

static const struct command {
    const char *name;
    int takes; /* an argument */
    void (*run)(struct server *server, const char *argument, int64_t now_ms, struct page *answer);
} commands[] = {{"list", 0, run_list}, {"kick", 1, run_kick}, {"close", 1, run_close}, {"drain", 0, run_drain}};

void admin_run(struct server *server, const char *line, int64_t now_ms, struct page *answer)
{
    static const char usage[] = "there are list, kick SESSION, close TABLE and drain, not ";
    char text[DOOR_REQUEST + 1];
    const size_t length = strcspn(line, "\r\n");
    (void)snprintf(text, sizeof text, "%.*s", (int)length, line);
    char *argument = text + strcspn(text, " ");
    const size_t name = (size_t)(argument - text);
    argument += *argument ? 1 : 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command *command = &commands[i];
        if (strlen(command->name) == name && strncmp(command->name, text, name) == 0 &&
            command->takes == (*argument != '\0')) {
            command->run(server, argument, now_ms, answer);
            return;
        }
    }
    refuse_command(answer, usage, text);
}

/* ---- The operator's command --------------------------------------------------------------------------------- */

static int send_line(int file, int count, char **words, char *message)
{
    char line[DOOR_REQUEST] = "";
    size_t length = 0;
    for (int i = 0; i < count && length < sizeof line; i++) {
        length += (size_t)snprintf(line + length, sizeof line - length, "%s%s", i ? " " : "", words[i]);
    }
    if (length + 1 >= sizeof line) {
        mh_message(message, "--ask: a command has at most %d bytes", DOOR_REQUEST - 2);
        return -1;
    }
    line[length++] = '\n';
    if (send(file, line, length, 0) != (ssize_t)length) {
        mh_message(message, "--ask: %s", strerror(errno));
        return -1;
    }
    return 0;
}

/* Prints what comes. Whether it is an error is known from how it begins. */
static int print_answer(int file, char *message)
{
    static const char error[] = "{\"error\"";
    char start[sizeof error] = "";
    char bytes[DOOR_REQUEST];
    size_t all = 0;
    ssize_t got;
    while ((got = recv(file, bytes, sizeof bytes, 0)) > 0) {
        for (ssize_t i = 0; i < got && all + (size_t)i < sizeof start - 1; i++) {
            start[all + (size_t)i] = bytes[i];
        }
        all += (size_t)got;
        (void)fwrite(bytes, 1, (size_t)got, stdout);
    }
    if (got < 0 || all == 0) {
        mh_message(message, "--ask: no answer: %s", got < 0 ? strerror(errno) : "the connection has ended");
        return -1;
    }
    return strcmp(start, error) == 0 ? 2 : 0;
}

int admin_ask(const char *path, int count, char **words, char *message)
{
    enum { SECONDS = 10 };
    char reason[MH_MESSAGE_SIZE];
    const struct timeval patience = {.tv_sec = SECONDS};
    const int file = door_connect(path, reason);
    if (file < 0) {
        mh_message(message, "--ask: %.200s", reason);
        return -1;
    }
    (void)setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int status = send_line(file, count, words, message);
    if (status == 0) {
        status = print_answer(file, message);
    }
    close(file);
    return status;
}
