#include "metrics.h"

#include <inttypes.h>
#include <stddef.h>
#include <time.h>

#include "sessions/requests.h"
#include "sessions/server_inside.h"

enum { MILLI = 1000, NANO = 1000000000 };

/* The figures that the text is written from. */
struct metric_source {
    const struct meter *meter;
    struct server_figures figures;
    int64_t sessions_most, tables_most, uptime_ms, cpu_ms;
};

struct metric;
typedef void metric_writer(const struct metric *self, const struct metric_source *source, struct page *page);

struct metric {
    const char *name, *type, *help;
    metric_writer *write;
    size_t at;   /* of an int64_t in the source */
    int64_t per; /* of them make one of the metric's unit */
};

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static void write_number(int64_t value, int64_t per, struct page *page)
{
    if (per == 1) {
        page_add(page, "%" PRId64, value);
    } else {
        page_add(page, "%.9g", (double)value / (double)per);
    }
}

static void write_figure(const struct metric *self, const struct metric_source *source, struct page *page)
{
    page_add(page, "%s ", self->name);
    write_number(*(const int64_t *)((const char *)source + self->at), self->per, page);
    page_add(page, "\n");
}

static void write_errors(const struct metric *self, const struct metric_source *source, struct page *page)
{
    for (int i = 0; i < METER_CODES; i++) {
        page_add(page, "%s{code=\"%s\"} %" PRId64 "\n", self->name, meter_codes[i], source->meter->errors[i]);
    }
}

static void write_limits(const struct metric *self, const struct metric_source *source, struct page *page)
{
    for (int i = 0; i < LIMITS; i++) {
        page_add(page, "%s{limit=\"%s\"} %" PRId64 "\n", self->name, limit_kinds[i].name, source->meter->limits[i]);
    }
}

static void write_histogram(const char *name, const char *kind, const struct meter_times *times, struct page *page)
{
    int64_t count = 0;
    for (int i = 0; i < METER_BOUNDS; i++) {
        count += times->counts[i];
        page_add(page, "%s_bucket{kind=\"%s\",le=\"%.9g\"} %" PRId64 "\n", name, kind,
                 (double)meter_bounds[i] / NANO, count);
    }
    count += times->counts[METER_BOUNDS];
    page_add(page, "%s_bucket{kind=\"%s\",le=\"+Inf\"} %" PRId64 "\n", name, kind, count);
    page_add(page, "%s_sum{kind=\"%s\"} ", name, kind);
    write_number(times->sum_ns, NANO, page);
    page_add(page, "\n%s_count{kind=\"%s\"} %" PRId64 "\n", name, kind, count);
}

static void write_times(const struct metric *self, const struct metric_source *source, struct page *page)
{
    for (int i = 0; i < METER_KINDS; i++) {
        const char *kind = i == METER_KINDS - 1 ? "other" : requests_name(i);
        if (kind) {
            write_histogram(self->name, kind, &source->meter->times[i], page);
        }
    }
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

static const struct metric metrics[] = {
    {"mhing_request_seconds", "histogram", "from when a request was read until its reply left", write_times, 0, 0},
    {"mhing_errors_total", "counter", "replies that are errors", write_errors, 0, 0},
    {"mhing_limits_total", "counter", "those of them that are the error limit", write_limits, 0, 0},
    {"mhing_requests_total", "counter", "requests that were executed", write_figure,
     offsetof(struct metric_source, figures.requests), 1},
    {"mhing_steps_total", "counter", "rows that were stepped", write_figure,
     offsetof(struct metric_source, figures.steps), 1},
    {"mhing_resent_total", "counter", "requests that came again", write_figure,
     offsetof(struct metric_source, figures.resent), 1},
    {"mhing_games_total", "counter", "games at tables that have ended", write_figure,
     offsetof(struct metric_source, figures.games), 1},
    {"mhing_sessions", "gauge", "sessions", write_figure, offsetof(struct metric_source, figures.sessions), 1},
    {"mhing_sessions_limit", "gauge", "sessions that are allowed (--sessions)", write_figure,
     offsetof(struct metric_source, sessions_most), 1},
    {"mhing_environments", "gauge", "environments of all sessions", write_figure,
     offsetof(struct metric_source, figures.environments), 1},
    {"mhing_rows", "gauge", "rows of all environments", write_figure, offsetof(struct metric_source, figures.rows),
     1},
    {"mhing_guests", "gauge", "sessions that wait for a host or play for one", write_figure,
     offsetof(struct metric_source, figures.guests), 1},
    {"mhing_tables_waiting", "gauge", "tables with free seats, not begun", write_figure,
     offsetof(struct metric_source, figures.tables_waiting), 1},
    {"mhing_tables_playing", "gauge", "tables whose series is under way", write_figure,
     offsetof(struct metric_source, figures.tables_playing), 1},
    {"mhing_tables_limit", "gauge", "tables that are allowed (--tables)", write_figure,
     offsetof(struct metric_source, tables_most), 1},
    {"mhing_spectators", "gauge", "subscriptions of spectators", write_figure,
     offsetof(struct metric_source, figures.subscriptions), 1},
    {"mhing_reply_bytes", "gauge", "memory for replies, remembered, on their way or free", write_figure,
     offsetof(struct metric_source, figures.reply_bytes), 1},
    {"mhing_waiting_bytes", "gauge", "requests that wait for their turn", write_figure,
     offsetof(struct metric_source, figures.waiting_bytes), 1},
    {"mhing_journal_bytes", "gauge", "journals of sessions and tables in --state", write_figure,
     offsetof(struct metric_source, figures.journal_bytes), 1},
    {"mhing_syncs_total", "counter", "times that written files were synced", write_figure,
     offsetof(struct metric_source, figures.syncs), 1},
    {"mhing_last_sync_seconds", "gauge", "how long the last sync took", write_figure,
     offsetof(struct metric_source, figures.sync_ns), NANO},
    {"mhing_disk_failures_total", "counter", "failures to write journals and records", write_figure,
     offsetof(struct metric_source, figures.failures), 1},
    {"mhing_disk_refuses", "gauge", "1 while the disk takes no writes and requests get the error storage",
     write_figure, offsetof(struct metric_source, figures.is_late), 1},
    {"mhing_draining", "gauge", "1 while the server lets in nobody and waits for its end", write_figure,
     offsetof(struct metric_source, figures.is_draining), 1},
    {"mhing_uptime_seconds", "gauge", "since the server began", write_figure,
     offsetof(struct metric_source, uptime_ms), MILLI},
    {"mhing_cpu_seconds_total", "counter", "time of processors, of all threads", write_figure,
     offsetof(struct metric_source, cpu_ms), MILLI},
};

void metrics_write(const struct server *server, int64_t uptime_ms, struct page *page)
{
    struct timespec used;
    struct metric_source source = {.meter = &server->meter,
                                   .sessions_most = server->options.max_sessions,
                                   .tables_most = server->options.max_tables,
                                   .uptime_ms = uptime_ms};
    server_figures(server, &source.figures);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    source.cpu_ms = (int64_t)used.tv_sec * MILLI + used.tv_nsec / (NANO / MILLI);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct metric *metric = &metrics[i];
        page_add(page, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help, metric->name, metric->type);
        metric->write(metric, &source, page);
    }
}
