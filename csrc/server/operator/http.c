#include "http.h"

#include <string.h>

int http_is_whole(const char *request)
{
    return strstr(request, "\r\n\r\n") != NULL || strstr(request, "\n\n") != NULL;
}

static const char *phrase(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 431:
        return "Request Header Fields Too Large";
    default:
        return "Service Unavailable";
    }
}

/* True if the request's line is METHOD /PATH HTTP/1.x; copies the path, without what follows a question mark. */
static int read_line(const char *request, char path[DOOR_REQUEST + 1], int *is_get, int *is_head)
{
    const size_t line = strcspn(request, "\r\n");
    const size_t method = strcspn(request, " \r\n");
    const char *target = request + method + 1;
    if (method == 0 || method >= line || *target != '/') {
        return 0;
    }
    const size_t whole = strcspn(target, " \r\n");
    const size_t length = strcspn(target, "? \r\n");
    if (strncmp(target + whole, " HTTP/1.", 8) != 0) {
        return 0;
    }
    memcpy(path, target, length);
    path[length] = '\0';
    *is_get = method == 3 && memcmp(request, "GET", 3) == 0;
    *is_head = method == 4 && memcmp(request, "HEAD", 4) == 0;
    return 1;
}

void http_answer(const char *request, enum door_ending ending, http_page *write, void *context, struct page *answer)
{
    char path[DOOR_REQUEST + 1];
    struct page body = {.bytes = NULL};
    int is_get = 0;
    int is_head = 0;
    int status = 400;
    if (ending == DOOR_TOO_LONG) {
        status = 431;
    } else if (ending == DOOR_WHOLE && read_line(request, path, &is_get, &is_head)) {
        status = is_get || is_head ? write(context, path, &body) : 405;
    }
    if (body.failed) {
        page_free(&body);
        status = 503;
    }
    if (body.size == 0) {
        page_add(&body, "%s\n", phrase(status));
    }
    page_add(answer,
             "HTTP/1.1 %d %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %zu\r\n"
             "Cache-Control: no-store\r\nConnection: close\r\n%s\r\n%s",
             status, phrase(status), body.size, status == 405 ? "Allow: GET, HEAD\r\n" : "",
             is_head || !body.bytes ? "" : body.bytes);
    page_free(&body);
}
