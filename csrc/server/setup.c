#include "setup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mh_text.h"
#include "common/games.h"
#include "mh_game.h"

const char setup_usage[] =
    "mhing-server [OPTION...], where --NAME VALUE may be written --NAME=VALUE\n"
    "  --bind ENDPOINT        ipc://PATH or tcp://ADDRESS:PORT, * for any port; spectators use the next port.\n"
    "                         Default: an ipc socket in $XDG_RUNTIME_DIR/mhing, or in a temporary folder\n"
    "  --curve-secret FILE    the output of --keygen; clients need its public key\n"
    "  --allow FILE           public keys of allowed clients, one per line; read again on SIGHUP\n"
    "  --state DIR            keeps sessions and tables there, and resumes them from there\n"
    "  --resume DIR           the same, but fails if nothing was kept there\n"
    "  --records DIR          writes a record of every game there; makes the folder if it is missing\n"
    "  --sync WHEN            when these folders reach the disk, should the power fail: always (before anybody is\n"
    "                         told), second (every second, the default) or never (when the system likes)\n"
    "  --expire SECONDS       ends a session after this time without a message (3600)\n"
    "  --sessions N           most sessions in all (4096)\n"
    "  --sessions-per-key N   most sessions of one CURVE key (a quarter of all; without keys 4096)\n"
    "  --sessions-per-minute N, --environments-per-minute N, --tables-per-minute N, --invitations-per-minute N\n"
    "                         most new ones of one key in a minute; 0: any number (1200, or all that one key may\n"
    "                         have at once if that is more; without keys 0)\n"
    "  --rows N               most rows in all environments of one key (32768)\n"
    "  --rows-per-session N   most rows in all environments of one session (16384)\n"
    "  --bytes N              most memory for the replies of all sessions (4294967296)\n"
    "  --bytes-per-key N      the same of one key's sessions (a quarter of all; without keys all)\n"
    "  --rows-in-flight N     most rows of an environment times its window (8192)\n"
    "  --message BYTES        largest request (2097152)\n"
    "  --tables N             most tables in all (1024)\n"
    "  --table-wait SECONDS   how long a table may wait for players while all tables are taken (600)\n"
    "  --seats N              most seats of one key (a quarter of the tables; without keys 1024)\n"
    "  --bots NAMES           bots with settings that clients may let play, such as \"search:50 search:5ms\" "
    "(none):\n"
    "                         while one thinks, nobody else is served\n"
    "  --open-seeds           lets a player give the seed of a table at which others sit as well: it knows their "
    "cards\n"
    "  --metrics PORT         answers /metrics, for Prometheus, and /healthz there, on 127.0.0.1 alone\n"
    "  --admin PATH           takes the operator's commands at a socket there, which --ask sends\n"
    "  --drain-idle SECONDS   SIGUSR1 drains the server: it takes nobody new, and ends when games at tables are "
    "over\n"
    "                         and all other sessions have been silent for this time (60)\n"
    "  --log FORM             what is printed: text, or json, an object on each line (text)\n"
    "  --figures SECONDS      how often a line of figures is printed, if they changed (60)\n"
    "  --ask PATH COMMAND     as the first option: sends list, kick SESSION, close TABLE or drain to the server "
    "with\n"
    "                         that --admin, prints lines of JSON and ends\n"
    "  --keygen               prints a pair of CURVE keys and ends\n"
    "  --version, --help\n"
    "Example: mhing-server --bind tcp://127.0.0.1:7644 --state games\n";

struct setup setup_defaults(void)
{
    enum { SLICE_NS = 1000000 };
    struct setup setup = {.server = server_defaults(), .figures_ms = (int64_t)60 * 1000};
    setup.server.slice_ns = SLICE_NS;
    return setup;
}

/* ---- Options ------------------------------------------------------------------------------------------------ */

struct option {
    const char *name;
    int *flag; /* without a value, or one of these three */
    const char **text;
    int *number;
    int64_t *large;
    int64_t least, most, unit;
    int is_list; /* of names: a second one is refused, for it would take the place of the first */
};

static int read_number(const struct option *option, const char *value, char *message)
{
    char *end;
    errno = 0;
    const long long number = strtoll(value, &end, 10);
    if (errno || *value == '\0' || *end || number < option->least || number > option->most) {
        mh_message(message, "%s: '%.40s' is not a whole number from %" PRId64 " to %" PRId64, option->name, value,
                   option->least, option->most);
        return -1;
    }
    if (option->number) {
        *option->number = (int)number;
    } else {
        *option->large = number * option->unit;
    }
    return 0;
}

static int read_option(const struct option *option, const char *value, char *message)
{
    if (option->flag) {
        *option->flag = 1;
        if (value) {
            mh_message(message, "%s: it takes no value", option->name);
        }
        return value ? -1 : 0;
    }
    if (!value || *value == '\0') {
        mh_message(message, "%s: its value is missing (see --help)", option->name);
        return -1;
    }
    if (!option->text) {
        return read_number(option, value, message);
    }
    if (option->is_list && *option->text) {
        mh_message(message, "%s is given twice; give it once: %s \"%.60s %.60s\"", option->name, option->name,
                   *option->text, value);
        return -1;
    }
    *option->text = value;
    return 0;
}

static int read_arguments(int count, char **arguments, struct setup *setup, char *message)
{
    struct server_options *server = &setup->server;
    const int64_t many = 1 << 20;
    const struct option options[] = {
        {.name = "--bind", .text = &setup->bind},
        {.name = "--curve-secret", .text = &setup->secret},
        {.name = "--allow", .text = &setup->allow},
        {.name = "--bots", .text = &server->bots, .is_list = 1},
        {.name = "--open-seeds", .flag = &server->open_seeds},
        {.name = "--state", .text = &server->state},
        {.name = "--resume", .text = &setup->resume},
        {.name = "--records", .text = &server->records},
        {.name = "--sync", .text = &setup->sync},
        {.name = "--log", .text = &setup->log_name},
        {.name = "--admin", .text = &setup->desk.admin},
        {.name = "--metrics", .number = &setup->desk.metrics, .least = 1, .most = UINT16_MAX},
        {.name = "--expire", .large = &server->expire_ms, .least = 1, .most = many * 1000, .unit = 1000},
        {.name = "--drain-idle", .large = &server->drain_ms, .least = 1, .most = many, .unit = 1000},
        {.name = "--figures", .large = &setup->figures_ms, .least = 1, .most = many, .unit = 1000},
        {.name = "--sessions", .number = &server->max_sessions, .least = 1, .most = many},
        {.name = "--sessions-per-key", .number = &server->sessions_per_key, .least = 1, .most = many},
        {.name = "--sessions-per-minute", .number = &server->sessions_per_minute, .most = many},
        {.name = "--environments-per-minute", .number = &server->environments_per_minute, .most = many},
        {.name = "--tables-per-minute", .number = &server->tables_per_minute, .most = many},
        {.name = "--invitations-per-minute", .number = &server->invitations_per_minute, .most = many},
        {.name = "--rows", .number = &server->rows_per_key, .least = 1, .most = many},
        {.name = "--rows-per-session", .number = &server->rows_per_session, .least = 1, .most = many},
        {.name = "--bytes", .large = &server->max_bytes, .least = 1, .most = many << 20, .unit = 1},
        {.name = "--bytes-per-key", .large = &server->bytes_per_key, .least = 1, .most = many << 20, .unit = 1},
        {.name = "--rows-in-flight", .number = &server->rows_in_flight, .least = 1, .most = many},
        {.name = "--message", .large = &server->message, .least = 1, .most = many << 10, .unit = 1},
        {.name = "--tables", .number = &server->max_tables, .least = 1, .most = many},
        {.name = "--table-wait", .large = &server->table_wait_ms, .least = 1, .most = many, .unit = 1000},
        {.name = "--seats", .number = &server->seats_per_key, .least = 1, .most = many},
    };
    const size_t known = sizeof options / sizeof *options;
    for (int i = 1; i < count; i++) {
        const size_t length = strcspn(arguments[i], "=");
        size_t k = 0;
        while (k < known && (strncmp(options[k].name, arguments[i], length) != 0 || options[k].name[length])) {
            k++;
        }
        if (k == known) {
            mh_message(message, "no option '%.40s'%s (see --help)", arguments[i],
                       strncmp(arguments[i], "--", 2) == 0 ? "" : ": options begin with --");
            return -1;
        }
        const char *value = NULL;
        if (arguments[i][length] == '=') {
            value = arguments[i] + length + 1;
        } else if (!options[k].flag && i + 1 < count) {
            value = arguments[++i];
        }
        if (read_option(&options[k], value, message) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- Keys --------------------------------------------------------------------------------------------------- */

static int read_keys(struct setup *setup, char *message)
{
    if (!setup->secret != !setup->allow) {
        mh_message(message, "--curve-secret and --allow must be given both or not at all");
        return -1;
    }
    return setup->secret && (keys_read_secret(setup->secret, setup->secret_key, message) != 0 ||
                             keys_read(&setup->allowed, setup->allow, message) != 0)
               ? -1
               : 0;
}

/* ---- Bots --------------------------------------------------------------------------------------------------- */

/* True if some game has a bot of that name, with its usual options; else `message` is the first game's. */
static int some_game_has(const char *bot, char *message)
{
    char other[MH_MESSAGE_SIZE];
    int found = 0;
    for (int i = 0; !found && i < mh_game_count(); i++) {
        struct mh_game *game = NULL;
        char *reason = i == 0 ? message : other;
        if (mh_game_new(mh_game_id(i), "", reason, &game) == MH_OK) {
            found = mh_bot_index(game, bot, reason) >= 0;
            mh_game_free(&game);
        }
    }
    return found;
}

/* Refuses names that no client could ever give. */
static int check_bots(const char *names, char *message)
{
    char reason[MH_MESSAGE_SIZE] = "";
    while (*names) {
        const size_t length = strcspn(names, " ");
        char bot[GAMES_BOT] = "";
        if (length >= sizeof bot) {
            mh_message(message, "--bots: a name has more than %d bytes", GAMES_BOT - 1);
            return -1;
        }
        memcpy(bot, names, length);
        if (length > 0 && !some_game_has(bot, reason)) {
            mh_message(message, "--bots: %.200s", reason);
            return -1;
        }
        names += length + strspn(names + length, " ");
    }
    return 0;
}

static int choose_log(struct setup *setup, char *message)
{
    setup->log = setup->log_name && strcmp(setup->log_name, "json") == 0 ? LOG_JSON : LOG_TEXT;
    if (setup->log_name && setup->log == LOG_TEXT && strcmp(setup->log_name, "text") != 0) {
        mh_message(message, "--log: '%.40s' is neither text nor json", setup->log_name);
        return -1;
    }
    return 0;
}

enum { NOT_GIVEN = -1 };

/* The limit of one key: where it is not given, with keys one that leaves room for others. */
static int64_t share_of_key(const struct setup *self, int64_t given, int64_t with_keys, int64_t without)
{
    const int64_t other = self->secret ? with_keys : without;
    return given == NOT_GIVEN ? other : given;
}

/* The number of new things of a kind that a key may begin in a minute. The default with keys is so high that nobody
 * notices it, and lets a key begin at once all that it may have. */
static int pace(const struct setup *self, int given, int most)
{
    enum { ANY = 0, TWENTY_A_SECOND = 1200 };
    return (int)share_of_key(self, given, most > TWENTY_A_SECOND ? most : TWENTY_A_SECOND, ANY);
}

static void set_shares(const struct setup *self, struct server_options *server)
{
    enum { SHARES = 4 };
    const int sessions = (server->max_sessions + SHARES - 1) / SHARES;
    const int seats = (server->max_tables + SHARES - 1) / SHARES;
    const int64_t bytes = (server->max_bytes + SHARES - 1) / SHARES;
    server->sessions_per_key = (int)share_of_key(self, server->sessions_per_key, sessions, server->max_sessions);
    server->seats_per_key = (int)share_of_key(self, server->seats_per_key, seats, server->max_tables);
    server->bytes_per_key = share_of_key(self, server->bytes_per_key, bytes, server->max_bytes);
    server->sessions_per_minute = pace(self, server->sessions_per_minute, server->sessions_per_key);
    server->environments_per_minute = pace(self, server->environments_per_minute, server->sessions_per_key);
    server->invitations_per_minute = pace(self, server->invitations_per_minute, server->sessions_per_key);
    server->tables_per_minute = pace(self, server->tables_per_minute, server->seats_per_key);
}

int setup_read(struct setup *self, int count, char **arguments, char *message)
{
    struct server_options *server = &self->server;
    server->sessions_per_key = server->seats_per_key = NOT_GIVEN;
    server->bytes_per_key = NOT_GIVEN;
    server->sessions_per_minute = server->environments_per_minute = NOT_GIVEN;
    server->tables_per_minute = server->invitations_per_minute = NOT_GIVEN;
    if (read_arguments(count, arguments, self, message) != 0 || choose_log(self, message) != 0) {
        return -1;
    }
    set_shares(self, server);
    if (self->server.bots && check_bots(self->server.bots, message) != 0) {
        return -1;
    }
    return read_keys(self, message);
}

void setup_free(struct setup *self)
{
    keys_wipe(self->secret_key, sizeof self->secret_key);
    keys_free(&self->allowed);
}
