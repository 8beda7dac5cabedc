#include "table_journal.h"

#include <stdio.h>
#include <string.h>

#include "files.h"

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static int path_of(const struct table *self, char path[FILES_PATH])
{
    char name[TABLE_NAME + sizeof JOURNAL_ENDING];
    (void)snprintf(name, sizeof name, "%s%s", self->name, JOURNAL_ENDING);
    return files_path(self->house->state, name, path);
}

static int is_off(const struct table *self)
{
    return !self->house->state || self->house->muted;
}

/* Leaves room for the length. */
static void begin_entry(struct wire_out *out, size_t expected)
{
    wire_begin(out, JOURNAL_LENGTH + expected);
    if (!out->failed) {
        out->message->size = JOURNAL_LENGTH;
    }
}

static void write_entry(struct table *self, struct wire_out *out,
                        int (*write)(const char *path, const void *bytes, size_t size))
{
    char path[FILES_PATH];
    struct wire_message *entry = wire_finish(out);
    int failed = !entry || path_of(self, path) != 0;
    if (!failed) {
        const size_t length = entry->size - JOURNAL_LENGTH;
        for (int i = 0; i < JOURNAL_LENGTH; i++) {
            entry->bytes[i] = (unsigned char)(length >> 8 * i);
        }
        failed = write(path, entry->bytes, entry->size) != 0;
    }
    self->house->figures.failures += failed;
    wire_release(entry);
}

static void write_player(const struct player *it, struct wire_out *out)
{
    wire_array(out, JOURNAL_PLAYER);
    wire_int(out, it->kind);
    wire_int(out, it->bot);
    wire_bin(out, it->token, sizeof it->token);
    wire_text(out, it->key);
    wire_text(out, it->name);
    wire_bool(out, it->fields);
    wire_bool(out, it->texts);
    wire_bool(out, it->away);
    wire_int(out, it->missed);
    wire_int(out, it->turn);
    wire_int(out, it->totals.games);
    wire_int(out, it->totals.wins);
    wire_int(out, it->totals.missed);
    wire_double(out, it->totals.returns);
    for (int i = 0; i < MH_MAX_TOTALS; i++) {
        wire_int(out, it->totals.sums[i]);
    }
}

void journal_begin(struct table *self)
{
    self->played = 0;
    if (is_off(self)) {
        return;
    }
    struct wire_out out;
    begin_entry(&out, 2048);
    wire_array(&out, 2);
    wire_int(&out, JOURNAL_VERSION);
    wire_map(&out, TERMS_KEYS + 5);
    terms_write(&self->terms, &out);
    wire_key_text(&out, "table", self->name);
    wire_text(&out, "first_seed");
    wire_uint(&out, self->first_seed);
    wire_key_int(&out, "number", self->number);
    wire_key_int(&out, "spoken", self->spoken);
    wire_text(&out, "players");
    wire_array(&out, (size_t)table_seats(self));
    for (int i = 0; i < table_seats(self); i++) {
        write_player(&self->players[i], &out);
    }
    write_entry(self, &out, files_replace);
}

void journal_add(struct table *self, int kind, int player, int64_t value, int64_t time)
{
    if (is_off(self)) {
        return;
    }
    struct wire_out out;
    begin_entry(&out, 64);
    wire_array(&out, JOURNAL_ITEMS);
    wire_int(&out, kind);
    wire_int(&out, self->played);
    wire_int(&out, player);
    wire_int(&out, value);
    wire_int(&out, time);
    write_entry(self, &out, files_append);
}

void journal_remove(const struct table *self)
{
    char path[FILES_PATH];
    if (!is_off(self) && path_of(self, path) == 0) {
        (void)remove(path);
    }
}
