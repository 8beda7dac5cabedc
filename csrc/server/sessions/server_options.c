#include "server_options.h"

const char *server_version(void)
{
    return MHING_VERSION;
}

struct server_options server_defaults(void)
{
    return (struct server_options){.max_sessions = 4096,
                                   .sessions_per_key = 4096,
                                   .rows_per_key = 32768,
                                   .rows_per_session = 16384,
                                   .max_bytes = (int64_t)1 << 32,
                                   .bytes_per_key = (int64_t)1 << 32,
                                   .rows_in_flight = 8192,
                                   .seats_per_key = 1024,
                                   .max_tables = 1024,
                                   .table_wait_ms = 600 * 1000,
                                   .message = 2 << 20,
                                   .expire_ms = 3600 * 1000,
                                   .drain_ms = 60 * 1000};
}
