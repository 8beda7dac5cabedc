/* The operator's view: histograms, the text of the figures, and doors whose visitors mean no good. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "operator/door.h"
#include "operator/http.h"
#include "operator/metrics.h"
#include "server_client.h"
#include "sessions/server_inside.h"

/* ---- Figures ------------------------------------------------------------------------------------------------ */

static int bucket_of(int64_t took)
{
    struct meter meter = {.errors = {0}};
    int found = -1;
    meter_answered(&meter, &(struct meter_mark){3, 1000}, 1000 + took);
    for (int i = 0; i <= METER_BOUNDS; i++) {
        if (meter.times[3].counts[i]) {
            CHECK(found < 0);
            CHECK_EQUAL(meter.times[3].counts[i], 1);
            found = i;
        }
    }
    CHECK_EQUAL(meter.times[3].sum_ns, took);
    return found;
}

/* A bound belongs to its bucket, as Prometheus has it ("le"). */
static void test_buckets(void)
{
    CHECK_EQUAL(bucket_of(0), 0);
    for (int i = 0; i < METER_BOUNDS; i++) {
        CHECK_EQUAL(bucket_of(meter_bounds[i]), i);
        CHECK_EQUAL(bucket_of(meter_bounds[i] + 1), i + 1);
    }
    CHECK_EQUAL(bucket_of(INT64_MAX / 2), METER_BOUNDS);
}

static void test_codes(void)
{
    struct meter meter = {.errors = {0}};
    meter_refused(&meter, &(struct wire_error){.code = "limit"});
    meter_refused(&meter, &(struct wire_error){.code = "limi"});
    meter_refused(&meter, &(struct wire_error){.code = "limits"});
    for (int i = 0; i < METER_CODES; i++) {
        CHECK(meter_codes[i]);
        CHECK_EQUAL(meter.errors[i], strcmp(meter_codes[i], "limit") == 0   ? 1
                                     : strcmp(meter_codes[i], "other") == 0 ? 2
                                                                            : 0);
    }
}

/* Each limit counts for itself, its refusal ends with its option and its advice whatever precedes them, and the page
 * has all of them in the table's order. */
static void test_limits(void)
{
    FILE *page = fopen("csrc/server/OPERATING.md", "r");
    char line[1024] = "";
    char words[2 * MH_MESSAGE_SIZE];
    struct meter meter = {.errors = {0}};
    CHECK(page);
    memset(words, 'x', sizeof words);
    words[sizeof words - 1] = '\0';
    while (strncmp(line, "| limit |", strlen("| limit |")) != 0) {
        CHECK(fgets(line, sizeof line, page));
    }
    CHECK(fgets(line, sizeof line, page)); /* the rule below the head */
    for (int i = 0; i < LIMITS; i++) {
        const struct limit *limit = &limit_kinds[i];
        struct wire_error error;
        char row[1024];
        char end[MH_MESSAGE_SIZE];
        CHECK_EQUAL(limit_refuse(&error, (enum limit_place)i, "%s", words), -1);
        meter_refused(&meter, &error);
        CHECK_EQUAL(meter.limits[i], 1);
        CHECK(strcmp(error.code, "limit") == 0);
        CHECK_EQUAL(strlen(error.text), sizeof error.text - 1);
        (void)snprintf(end, sizeof end, limit->is_option ? "x (--%s); %s" : "x%.0s; %s", limit->name,
                       limit->advice);
        CHECK(strcmp(error.text + strlen(error.text) - strlen(end), end) == 0);
        CHECK(fgets(line, sizeof line, page));
        (void)snprintf(row, sizeof row, limit->is_option ? "| `%s` | `--%s` | " : "| `%s` | %.0s", limit->name,
                       limit->name);
        CHECK(strncmp(line, row, strlen(row)) == 0);
        (void)snprintf(row, sizeof row, " | %s |\n", limit->advice);
        CHECK(strcmp(line + strlen(line) - strlen(row), row) == 0);
    }
    CHECK(fgets(line, sizeof line, page) && strcmp(line, "\n") == 0);
    struct wire_error other;
    (void)wire_refuse(&other, "table", "no seat");
    meter_refused(&meter, &other);
    for (int i = 0; i < LIMITS; i++) {
        CHECK_EQUAL(meter.limits[i], 1);
    }
    (void)fclose(page);
}

/* The value on the line that begins with these words. */
static double value_of(const char *text, const char *words)
{
    const char *found = strstr(text, words);
    while (found && found != text && found[-1] != '\n') {
        found = strstr(found + 1, words);
    }
    CHECK(found && found[strlen(words)] == ' ');
    return strtod(found + strlen(words), NULL);
}

static void check_text(const struct host *host, int requests, int errors)
{
    struct page page = {.bytes = NULL};
    metrics_write(host->server, 2500, &page);
    CHECK(!page.failed && page.size == strlen(page.bytes) && page.bytes[page.size - 1] == '\n');
    CHECK_EQUAL(value_of(page.bytes, "mhing_request_seconds_count{kind=\"hello\"}"), 1);
    CHECK_EQUAL(value_of(page.bytes, "mhing_request_seconds_count{kind=\"ping\"}"), requests);
    CHECK_EQUAL(value_of(page.bytes, "mhing_request_seconds_bucket{kind=\"ping\",le=\"+Inf\"}"), requests);
    CHECK_EQUAL(value_of(page.bytes, "mhing_request_seconds_count{kind=\"act\"}"), errors);
    CHECK_EQUAL(value_of(page.bytes, "mhing_request_seconds_count{kind=\"other\"}"), 2 * errors);
    CHECK_EQUAL(value_of(page.bytes, "mhing_errors_total{code=\"message\"}"), errors);
    CHECK_EQUAL(value_of(page.bytes, "mhing_errors_total{code=\"request\"}"), errors);
    CHECK_EQUAL(value_of(page.bytes, "mhing_errors_total{code=\"turn\"}"), errors);
    CHECK_EQUAL(value_of(page.bytes, "mhing_errors_total{code=\"limit\"}"), 0);
    CHECK_EQUAL(value_of(page.bytes, "mhing_sessions"), 1);
    CHECK(value_of(page.bytes, "mhing_uptime_seconds") == 2.5);
    CHECK(value_of(page.bytes, "mhing_request_seconds_sum{kind=\"ping\"}") >= 0);
    CHECK(value_of(page.bytes, "mhing_request_seconds_bucket{kind=\"ping\",le=\"2.5e-05\"}") <=
          value_of(page.bytes, "mhing_request_seconds_bucket{kind=\"ping\",le=\"0.0025\"}"));
    page_free(&page);
}

static void test_text(void)
{
    struct host host;
    unsigned char token[16];
    const struct server_options options = server_defaults();
    open_host(&host, &options);
    hello(&host, 1, "", token);
    check_text(&host, 0, 0);
    struct wire_out out = begin_call("ping", 1, 0);
    send_out(&host, 1, "", &out);
    check_text(&host, 1, 0);
    send_bytes(&host, 1, "", "x", 1);
    out = begin_call("dance", 2, 0);
    send_out(&host, 1, "", &out);
    out = begin_call("act", 7, 1);
    wire_int(&out, 0);
    send_out(&host, 1, "", &out);
    check_text(&host, 1, 1);
    close_host(&host);
}

static void test_page(void)
{
    struct page page = {.bytes = NULL};
    page_quote(&page, "a\"b\\c\n\x7f\x01é");
    CHECK(strcmp(page.bytes, "\"a\\\"b\\\\c\\u000a\\u007f\\u0001é\"") == 0);
    page_free(&page);
    page_quote(&page, "\xf0\x9f\x82\xa1 \xff \xc3 \xe2\x82 \xed\xa0\x80 \xc0\x80 \xf5\x80\x80\x80 \xe2");
    CHECK(strcmp(page.bytes, "\"\xf0\x9f\x82\xa1 \\ufffd \\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
                             "\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\"") == 0);
    page_free(&page);
    char *large = check_memory(PAGE_MOST + 1);
    memset(large, 'x', PAGE_MOST);
    page_add(&page, "%s", large);
    CHECK(page.failed && page.size == 0);
    page_add(&page, "x");
    CHECK_EQUAL(page.size, 0);
    page_free(&page);
    free(large);
}

/* ---- HTTP --------------------------------------------------------------------------------------------------- */

static int write_path(void *context, const char *path, struct page *body)
{
    page_add(body, "%s%s", path, (const char *)context);
    return 200;
}

/* True if the answer to a request begins and ends so; from a block of its size, so that sanitizers see what is read. */
static int http_gives(const char *request, enum door_ending ending, const char *status, const char *end)
{
    struct page answer = {.bytes = NULL};
    static char context[] = "!";
    char *copy = check_memory(strlen(request) + 1);
    memcpy(copy, request, strlen(request) + 1);
    http_answer(copy, ending, write_path, context, &answer);
    free(copy);
    const size_t length = strlen(end);
    const int is_so = strncmp(answer.bytes, "HTTP/1.1 ", 9) == 0 &&
                      strncmp(answer.bytes + 9, status, strlen(status)) == 0 && answer.size > length &&
                      strcmp(answer.bytes + answer.size - length, end) == 0;
    page_free(&answer);
    return is_so;
}

static void test_http(void)
{
    static const char *const wrong[] = {"\r\n\r\n",
                                        "\n\n",
                                        " \r\n\r\n",
                                        "GET\r\n\r\n",
                                        "GET \r\n\r\n",
                                        "GET /\r\n\r\n",
                                        "GET / FTP/1.0\r\n\r\n",
                                        "GET x HTTP/1.0\r\n\r\n",
                                        "GET http://h/ HTTP/1.1\r\n\r\n",
                                        "GET / HTTP/1\r\n\r\n",
                                        "GET / HTTP/2.0\r\n\r\n",
                                        "\r\nGET / HTTP/1.0\r\n\r\n",
                                        "/ HTTP/1.0\r\n\r\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(http_is_whole(wrong[i]));
        CHECK(http_gives(wrong[i], DOOR_WHOLE, "400", "\r\n\r\nBad Request\n"));
    }
    CHECK(http_gives("GET /a HTTP/1.0\r\n\r\n", DOOR_WHOLE, "200 OK", "\r\n\r\n/a!"));
    CHECK(http_gives("GET /a?b HTTP/1.1\nHost: x\n\n", DOOR_WHOLE, "200 OK", "\r\n\r\n/a!"));
    CHECK(http_gives("GET /%s%n HTTP/1.1\r\n\r\n", DOOR_WHOLE, "200 OK", "\r\n\r\n/%s%n!"));
    CHECK(http_gives("HEAD /a HTTP/1.1\r\n\r\n", DOOR_WHOLE, "200 OK", "close\r\n\r\n"));
    CHECK(http_gives("GETS /a HTTP/1.1\r\n\r\n", DOOR_WHOLE, "405", "Not Allowed\n"));
    CHECK(http_gives("POST /a HTTP/1.1\r\n\r\n", DOOR_WHOLE, "405", "Not Allowed\n"));
    CHECK(http_gives("GET /a HTTP/1.1\r\n", DOOR_CLOSED, "400", "Bad Request\n"));
    CHECK(http_gives("", DOOR_CLOSED, "400", "Bad Request\n"));
    CHECK(http_gives("GET /a", DOOR_TOO_LONG, "431", "Too Large\n"));
}

/* ---- Doors -------------------------------------------------------------------------------------------------- */

static char folder[64];
static char path[96];
static int answers;
static size_t answer_size; /* bytes after the ending and the request */

static int has_newline(const char *request)
{
    return strchr(request, '\n') != NULL;
}

static void repeat(void *context, const char *request, enum door_ending ending, int64_t now_ms, struct page *answer)
{
    static char large[8 << 20];
    (void)context;
    (void)now_ms;
    answers++;
    memset(large, 'x', answer_size);
    large[answer_size] = '\0';
    page_add(answer, "%d %s%s", ending, request, large);
}

static struct door *open_door(void)
{
    const struct door_service service = {NULL, has_newline, repeat};
    char message[MH_MESSAGE_SIZE] = "";
    struct door *door = NULL;
    answers = 0;
    answer_size = 0;
    CHECK_EQUAL(door_open_path(path, &service, message, &door), 0);
    return door;
}

/* As the loop of the server does; the sockets have time. */
static void turn(struct door *door, int64_t now_ms)
{
    struct pollfd polls[DOOR_POLLS];
    for (int i = 0; i < 4; i++) {
        door_polls(door, now_ms, polls);
        (void)poll(polls, DOOR_POLLS, 1);
        door_turn(door, polls, now_ms);
    }
}

static int knock(void)
{
    char message[MH_MESSAGE_SIZE] = "";
    const int file = door_connect(path, message);
    CHECK(file >= 0);
    CHECK_EQUAL(fcntl(file, F_SETFL, O_NONBLOCK), 0);
    return file;
}

static void put(int file, const char *text)
{
    CHECK_EQUAL(send(file, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Returns the text that has come; it ends with a full stop if the connection has ended. */
static const char *take(int file)
{
    static char text[4 * DOOR_REQUEST];
    size_t size = 0;
    ssize_t got;
    while ((got = recv(file, text + size, sizeof text - 2 - size, 0)) > 0) {
        size += (size_t)got;
    }
    if (got == 0) {
        text[size++] = '.';
    }
    text[size] = '\0';
    return text;
}

static void test_requests_at_a_door(void)
{
    struct door *door = open_door();
    int file = knock();
    const char *request = "list\n";
    for (; *request; request++) { /* bytes one at a time */
        turn(door, 0);
        CHECK_EQUAL(answers, 0);
        CHECK_EQUAL(send(file, request, 1, 0), 1);
    }
    turn(door, 0);
    CHECK(strcmp(take(file), "0 list\n.") == 0);
    put(file, "more and more"); /* which nobody listens to */
    turn(door, 0);
    CHECK_EQUAL(answers, 1);
    close(file);
    turn(door, 0);

    file = knock(); /* no newline */
    put(file, "list");
    CHECK_EQUAL(shutdown(file, SHUT_WR), 0);
    turn(door, 0);
    CHECK(strcmp(take(file), "1 list.") == 0);
    close(file);

    file = knock(); /* zeros */
    CHECK_EQUAL(send(file, "a\0b\n", 4, 0), 4);
    turn(door, 0);
    CHECK(strcmp(take(file), "0 a?b\n.") == 0);
    close(file);

    file = knock(); /* too long: the answer arrives although bytes are left unread */
    char *large = check_memory(2 * DOOR_REQUEST + 1);
    memset(large, 'y', 2 * DOOR_REQUEST);
    put(file, large);
    turn(door, 0);
    const char *answer = take(file);
    CHECK(strncmp(answer, "2 yy", 4) == 0);
    CHECK_EQUAL(strlen(answer), 2 + DOOR_REQUEST + 1);
    free(large);
    close(file);
    turn(door, 0);
    door_close(&door);
    CHECK(access(path, F_OK) != 0);
}

/* Those who say nothing, and those who never read, keep the places that there are for a while, and no longer. */
static void test_silent_visitors(void)
{
    struct door *door = open_door();
    int files[DOOR_VISITORS + 1];
    for (int i = 0; i <= DOOR_VISITORS; i++) {
        files[i] = knock();
        turn(door, 0);
    }
    struct pollfd polls[DOOR_POLLS];
    door_polls(door, 0, polls);
    CHECK_EQUAL(polls[0].fd, -1); /* else who waits outside would wake the server all the time */
    put(files[DOOR_VISITORS], "late\n");
    turn(door, DOOR_MS - 1);
    CHECK_EQUAL(answers, 0);
    CHECK(strcmp(take(files[0]), "") == 0);
    turn(door, DOOR_MS);
    CHECK(strcmp(take(files[0]), ".") == 0);
    turn(door, DOOR_MS);
    CHECK(strcmp(take(files[DOOR_VISITORS]), "0 late\n.") == 0);
    for (int i = 0; i <= DOOR_VISITORS; i++) {
        close(files[i]);
    }
    turn(door, DOOR_MS);
    answer_size = (8 << 20) - 1;
    int file = knock();
    put(file, "all\n");
    turn(door, DOOR_MS);
    answer_size = 0;
    const int other = knock();
    put(other, "x\n");
    turn(door, DOOR_MS);
    CHECK(strcmp(take(other), "0 x\n.") == 0);
    close(other);
    turn(door, 2 * DOOR_MS);
    char *text = check_memory(8 << 20);
    const ssize_t got = recv(file, text, 8 << 20, 0);
    CHECK(got > 0 && got < 8 << 20); /* what was in the system's buffers */
    free(text);
    close(file);
    door_close(&door);
}

/* An answer that the system takes in parts arrives whole at somebody who reads. */
static void test_a_large_answer(void)
{
    struct door *door = open_door();
    const int file = knock();
    char *text = check_memory(1 << 20);
    size_t size = 0;
    ssize_t got = -1;
    answer_size = 4 << 20;
    put(file, "x\n");
    for (int i = 0; i < 10000 && got != 0; i++) {
        turn(door, 0);
        got = recv(file, text, 1 << 20, 0);
        size += got > 0 ? (size_t)got : 0;
    }
    CHECK_EQUAL(got, 0);
    CHECK_EQUAL(size, strlen("0 x\n") + answer_size);
    free(text);
    close(file);
    door_close(&door);
}

static void test_visitors_who_vanish(void)
{
    struct door *door = open_door();
    for (int i = 0; i < 3 * DOOR_VISITORS; i++) {
        const int file = knock();
        if (i % 3) {
            put(file, i % 3 == 1 ? "x" : "x\n");
        }
        close(file);
        turn(door, 0);
    }
    turn(door, 0);
    int file = knock();
    put(file, "x\n");
    turn(door, 0);
    CHECK(strcmp(take(file), "0 x\n.") == 0);
    close(file);
    door_close(&door); /* with a visitor inside */
}

static void test_places_of_doors(void)
{
    const struct door_service service = {NULL, has_newline, repeat};
    char message[MH_MESSAGE_SIZE];
    char deep[300];
    struct door *door = open_door();
    struct door *other = NULL;
    CHECK_EQUAL(door_open_path(path, &service, message, &other), -1);
    CHECK(strstr(message, "a server answers there already"));
    door_close(&door);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    close(file);
    CHECK_EQUAL(door_open_path(path, &service, message, &other), -1);
    CHECK(strstr(message, "it exists and is no socket"));
    CHECK_EQUAL(access(path, F_OK), 0);
    CHECK_EQUAL(unlink(path), 0);
    memset(deep, 'd', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    CHECK_EQUAL(door_open_path(deep, &service, message, &other), -1);
    CHECK(strstr(message, "too long for a socket"));
    CHECK_EQUAL(door_open_path("/tmp/mhing-of-nobody", &service, message, &other), -1);
    CHECK(strstr(message, "everybody may write there"));
    CHECK_EQUAL(door_open_path("/nowhere/x", &service, message, &other), -1);
    CHECK(strstr(message, "/nowhere"));
    CHECK_EQUAL(door_connect(path, message), -1);
}

int main(void)
{
    (void)snprintf(folder, sizeof folder, "/tmp/mhing-desk-XXXXXX");
    CHECK(mkdtemp(folder));
    (void)signal(SIGPIPE, SIG_IGN);
    (void)snprintf(path, sizeof path, "%s/door", folder);
    test_buckets();
    test_codes();
    test_limits();
    test_text();
    test_page();
    test_http();
    test_requests_at_a_door();
    test_silent_visitors();
    test_a_large_answer();
    test_visitors_who_vanish();
    test_places_of_doors();
    CHECK_EQUAL(rmdir(folder), 0);
    return 0;
}
