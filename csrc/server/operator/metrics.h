/* The server's figures for Prometheus, in its text format 0.0.4. They are declared once, in the table of metrics.c,
 * from which the text is written; OPERATING.md lists the same, which a test compares. Nothing of them is secret. */
#ifndef METRICS_H
#define METRICS_H

#include "page.h"
#include "server.h"

/* `uptime_ms`: since the server began. */
void metrics_write(const struct server *server, int64_t uptime_ms, struct page *page);

#endif
