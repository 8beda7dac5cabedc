#include "record.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/files.h"

#define ENDING ".jsonl"

enum { FORMAT = 1, LINE = 16384 /* bytes of the longest line */ };

/* ---- Files -------------------------------------------------------------------------------------------------- */

/* The number in a name such as mytable-17.jsonl, or -1. */
static int64_t number_in(const char *name)
{
    const char *dash = strrchr(name, '-');
    char *end = NULL;
    const long long number = dash ? strtoll(dash + 1, &end, 10) : -1;
    return number >= 0 && end > dash + 1 && strcmp(end, ENDING) == 0 ? number : -1;
}

int64_t record_next_number(const char *folder)
{
    int64_t next = 0;
    char message[MH_MESSAGE_SIZE];
    (void)files_remove_left(folder, ENDING, message); /* another server that writes one now writes it again */
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        const int64_t number = number_in(entry->d_name);
        next = number >= next ? number + 1 : next;
    }
    if (entries) {
        (void)closedir(entries);
    }
    return next;
}

static int path_of(const struct tables_shared *shared, const char *table, int64_t number, char path[FILES_PATH])
{
    char name[TABLE_NAME + 32];
    (void)snprintf(name, sizeof name, "%s-%" PRId64 ENDING, table, number);
    return files_path(shared->records, name, path);
}

int64_t record_create(struct tables_shared *shared, const char *table)
{
    char path[FILES_PATH];
    int status = shared->records ? 1 : -1;
    while (status == 1) { /* another server may use the same folder */
        status = path_of(shared, table, shared->next_record, path) == 0 ? disk_create(shared->disk, path) : -1;
        shared->next_record += status >= 0;
    }
    return status == 0 ? shared->next_record - 1 : -1;
}

void record_flush(struct table *table)
{
    struct record *self = &table->record;
    char path[FILES_PATH];
    if (self->used > 0 && !table->shared->disk->waiting &&
        path_of(table->shared, table->name, self->number, path) == 0 &&
        disk_write(table->shared->disk, &self->ticket, path, self->written, self->lines, self->used) == 0) {
        self->written += self->used;
        self->used = 0;
    }
}

/* The same, but what the disk refuses it gets for later. */
static void hand_over(struct table *table)
{
    struct record *self = &table->record;
    char path[FILES_PATH];
    record_flush(table);
    if (self->used > 0 && path_of(table->shared, table->name, self->number, path) == 0 &&
        disk_defer(table->shared->disk, path, self->written, self->lines, self->used) == 0) {
        self->written += self->used;
    }
    self->used = 0;
}

/* After a failed sync the lines that were written before are written again, into a new file. */
static int write_again(struct table *table)
{
    struct record *self = &table->record;
    struct disk *disk = table->shared->disk;
    unsigned char *bytes;
    size_t size;
    char path[FILES_PATH];
    if (path_of(table->shared, table->name, self->number, path) != 0 || files_read(path, &bytes, &size) != MH_OK) {
        return -1;
    }
    const int failed = size < self->written ? -1 : disk_replace(disk, &self->ticket, path, bytes, self->written, 0);
    free(bytes);
    return failed;
}

int record_mend(struct table *table)
{
    const struct disk *disk = table->shared->disk;
    if (table->record.number >= 0 && disk->lost > 0 && table->record.ticket.round >= disk->lost &&
        write_again(table) != 0) {
        return -1;
    }
    record_flush(table);
    return table->record.used > 0 ? -1 : 0;
}

/* ---- Lines -------------------------------------------------------------------------------------------------- */

static void begin_line(struct mh_text *line, char text[LINE])
{
    mh_text_begin(line, text, LINE);
    mh_json_open(line, '{');
}

static void end_line(struct table *table, struct mh_text *line)
{
    struct record *self = &table->record;
    mh_json_close(line, '}');
    mh_text_add(line, "\n");
    if (line->length > RECORD_LINES - self->used) {
        hand_over(table);
    }
    if (line->length < line->size) {
        memcpy(self->lines + self->used, line->text, line->length);
        self->used += line->length;
    } else {
        table->shared->figures.failures++;
    }
}

/* Players choose their names, so quotes are escaped for JSON. Control characters were refused before. */
static void add_name(struct mh_text *line, const char *name)
{
    char escaped[2 * TABLE_PLAYER];
    size_t length = 0;
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') {
            escaped[length++] = '\\';
        }
        escaped[length++] = *name;
    }
    escaped[length] = '\0';
    mh_json_string(line, escaped);
}

static void add_seed(struct mh_text *line, const struct table *table, int32_t round)
{
    mh_json_key(line, "seed");
    mh_text_add(line, "%" PRIu64, table_seed(table, table->number, round));
    line->comma = 1;
}

static void add_header(struct mh_text *line, const struct table *table, const char *date)
{
    const struct mh_spec *spec = terms_spec(&table->terms);
    mh_json_key_int(line, "format", FORMAT);
    mh_json_key_string(line, "game", spec->id);
    mh_json_key_int(line, "rules_version", spec->rules_version);
    mh_json_options(line, spec, table->terms.game->options);
    add_seed(line, table, 0);
    mh_json_key_string(line, "table", table->name);
    mh_json_key_int(line, "number", table->number);
    mh_json_key_int(line, "games", table->terms.games);
    mh_json_key(line, "players");
    mh_json_open(line, '[');
    for (int seat = 0; seat < table_seats(table); seat++) {
        add_name(line, table->players[table_player_at(table, seat)].name);
    }
    mh_json_close(line, ']');
    mh_json_key_string(line, "time", date);
}

void record_begin(struct table *table, int64_t number, int64_t time)
{
    struct record *self = &table->record;
    char path[FILES_PATH];
    self->number = table->shared->records ? number : -1;
    self->used = self->written = 0;
    self->ticket = (struct disk_ticket){0, 0};
    if (self->number < 0) {
        return;
    }
    if (table->shared->replaying &&
        (path_of(table->shared, table->name, number, path) != 0 || files_make(path, NULL, 0) != 0)) {
        (void)disk_refuse(table->shared->disk);
    }
    char text[LINE];
    char date[32];
    struct mh_text line;
    struct tm fields;
    const time_t seconds = (time_t)time;
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &fields));
    begin_line(&line, text);
    add_header(&line, table, date);
    end_line(table, &line);
}

void record_action(struct table *table, int action, enum record_by by, int64_t ms)
{
    static const char *const names[] = {"player", "late", "illegal", "bot", "substitute"};
    if (table->record.number < 0) {
        return;
    }
    char text[LINE];
    char word[MH_TEXT_SIZE];
    struct mh_text line;
    begin_line(&line, text);
    mh_json_key_int(&line, "seat", mh_state_seat(table->shared->before));
    mh_json_key_int(&line, "action", action);
    table->terms.game->rules->action_text(action, word);
    mh_json_key_string(&line, "text", word);
    mh_json_key_string(&line, "by", names[by]);
    mh_json_key_int(&line, "ms", ms);
    if (!table->terms.seeded && mh_state_seat(table->state) == MH_BETWEEN_ROUNDS) {
        add_seed(&line, table, mh_state_rounds(table->state));
    }
    end_line(table, &line);
}

static void add_numbers(struct mh_text *line, const struct table *table)
{
    const struct mh_spec *spec = terms_spec(&table->terms);
    const int64_t *value = table->info;
    (void)mh_state_info(table->terms.game, table->state, table->info);
    mh_json_key(line, "numbers");
    mh_json_open(line, '{');
    for (int i = 0; i < spec->num_info; i++) {
        const struct mh_info_field *row = &spec->info[i];
        const int count = row->per_seat ? table_seats(table) : row->count;
        mh_json_key(line, row->name);
        if (row->count > 1) {
            mh_json_open(line, '[');
        }
        for (int k = 0; k < count; k++) {
            mh_json_int(line, value[k]);
        }
        if (row->count > 1) {
            mh_json_close(line, ']');
        }
        value += row->count;
    }
    mh_json_close(line, '}');
}

/* Writes the number of actions that a substitute played, by seat. */
static void add_substituted(struct mh_text *line, const struct table *table)
{
    mh_json_key(line, "substituted");
    mh_json_open(line, '[');
    for (int seat = 0; seat < table_seats(table); seat++) {
        mh_json_int(line, table->players[table_player_at(table, seat)].substituted);
    }
    mh_json_close(line, ']');
}

void record_end(struct table *table)
{
    if (table->record.number < 0) {
        return;
    }
    char text[LINE];
    struct mh_text line;
    double returns[MH_MAX_SEATS];
    (void)mh_state_returns(table->terms.game, table->state, returns);
    begin_line(&line, text);
    mh_json_key_numbers(&line, "returns", returns, table_seats(table));
    add_substituted(&line, table);
    add_numbers(&line, table);
    end_line(table, &line);
    hand_over(table);
}

void record_abandon(struct table *table)
{
    if (table->record.number < 0 || !table->begun) {
        return;
    }
    char text[LINE];
    struct mh_text line;
    begin_line(&line, text);
    mh_json_key(&line, "abandoned");
    mh_json_bool(&line, 1);
    end_line(table, &line);
    hand_over(table);
}
