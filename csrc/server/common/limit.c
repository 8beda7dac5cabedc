#include "limit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct limit limit_kinds[LIMITS] = {
    [LIMIT_SESSIONS] = {"sessions", 1, "come again then, or when one has ended"},
    [LIMIT_SESSIONS_PER_KEY] = {"sessions-per-key", 1, "come again then, or end one"},
    [LIMIT_SESSIONS_PER_MINUTE] = {"sessions-per-minute", 1, "come again then, or resume one"},
    [LIMIT_ROWS] = {"rows", 1, "close an environment, or come again when others have"},
    [LIMIT_ROWS_PER_SESSION] = {"rows-per-session", 1, "close an environment"},
    [LIMIT_BYTES] = {"bytes", 1, "use a smaller window, or come again when others have left"},
    [LIMIT_BYTES_PER_KEY] = {"bytes-per-key", 1, "use a smaller window, or come again when others have left"},
    [LIMIT_ROWS_IN_FLIGHT] = {"rows-in-flight", 1, "use fewer rows or a smaller window"},
    [LIMIT_ENVIRONMENTS_PER_MINUTE] = {"environments-per-minute", 1, "come again then, or reset one"},
    [LIMIT_TABLES] = {"tables", 1, "come again when one has ended, or take a seat at one that waits"},
    [LIMIT_TABLES_PER_MINUTE] = {"tables-per-minute", 1, "come again then, or take a seat at one that waits"},
    [LIMIT_SEATS] = {"seats", 1, "stand up from one"},
    [LIMIT_INVITATIONS_PER_MINUTE] = {"invitations-per-minute", 1, "come again then"},
    [LIMIT_BOTS] = {"bots", 1, "choose another bot"},
    [LIMIT_OPEN_SEEDS] = {"open-seeds", 1, "let bots have all other seats, or give no seed"},
    [LIMIT_TOLD] = {"told", 0, "say less"},
    [LIMIT_DRAINING] = {"draining", 0, "try another server, or come again when it has been started anew"},
};

int limit_refuse(struct wire_error *error, enum limit_place place, const char *format, ...)
{
    char end[sizeof error->text / 2];
    const struct limit *limit = &limit_kinds[place];
    const char *const option = limit->is_option ? limit->name : "";
    (void)snprintf(end, sizeof end, "%s%s%s; %s", *option ? " (--" : "", option, *option ? ")" : "", limit->advice);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text - strlen(end), format, arguments);
    va_end(arguments);
    memcpy(error->text + strlen(error->text), end, strlen(end) + 1);
    error->code = "limit";
    error->limit = limit;
    return -1;
}
