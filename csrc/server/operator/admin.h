/* The operator's commands: one line in, lines of JSON out. They are words as people type them, as those of HAProxy's
 * socket, and answers as programs read them; nothing of a session is told that would let others take its place, which
 * is why it has a number here.
 *
 *   list             {"draining", ...}, then a line for each session and each table
 *   kick SESSION     ends a session, as its own bye would; the client may begin another one
 *   close TABLE      ends a table's series now; its players and spectators are told that it is over
 *   drain            see server_drain
 *
 * Whatever goes wrong is one line {"error": text}, and nothing has been done then. */
#ifndef ADMIN_H
#define ADMIN_H

#include "page.h"
#include "server.h"

/* Executes a line. What follows its end is ignored. */
void admin_run(struct server *server, const char *line, int64_t now_ms, struct page *answer);

/* Sends words as a line to the server at that path, and prints the answer. 0; 2 where it is an error; -1 with a message
 * where no server answers. */
int admin_ask(const char *path, int count, char **words, char *message);

#endif
