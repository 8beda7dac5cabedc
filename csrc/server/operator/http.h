/* The little of HTTP that a program needs which asks for one page. */
#ifndef HTTP_H
#define HTTP_H

#include "door.h"

/* True if the head of a request has ended. A GET has nothing after it. */
int http_is_whole(const char *request);

/* Writes what a path has to say, in text/plain, and returns the status: 200, 404 or 503. */
typedef int http_page(void *context, const char *path, struct page *body);

/* Answers a request: its page, or why there is none. */
void http_answer(const char *request, enum door_ending ending, http_page *write, void *context,
                 struct page *answer);

#endif
