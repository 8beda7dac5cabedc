#include "table_journal.h"

#include <stdio.h>
#include <string.h>

#include "common/files.h"
#include "player_items.h"

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static int path_of(const struct table *self, char path[FILES_PATH])
{
    char name[TABLE_NAME + sizeof JOURNAL_ENDING];
    (void)snprintf(name, sizeof name, "%s%s", self->name, JOURNAL_ENDING);
    return files_path(self->shared->state, name, path);
}

static int is_off(const struct table *self)
{
    return !self->shared->state || self->shared->replaying;
}

/* Finishes an entry and writes it in one of two ways. */
static int write_entry(struct table *self, struct wire_out *out,
                       int (*write)(struct journal *journal, struct disk *disk, const char *path,
                                    struct wire_out *out))
{
    char path[FILES_PATH];
    int failed = path_of(self, path) != 0;
    if (failed) {
        wire_drop(out);
    } else {
        failed = write(&self->journal, self->shared->disk, path, out) != 0;
    }
    return failed;
}

static int write_table(struct table *self, int (*write)(struct journal *journal, struct disk *disk,
                                                        const char *path, struct wire_out *out))
{
    struct wire_out out;
    journal_entry(&out, NULL, 2048);
    wire_array(&out, JOURNAL_TABLE);
    wire_int(&out, JOURNAL_VERSION);
    wire_map(&out, TERMS_KEYS + 5);
    terms_write(&self->terms, &out);
    wire_key_text(&out, "table", self->name);
    wire_key_text(&out, "secret", self->secret);
    wire_key_int(&out, "number", self->number);
    wire_key_int(&out, "spoken", self->spoken);
    wire_text(&out, "players");
    wire_array(&out, (size_t)table_seats(self));
    for (int i = 0; i < table_seats(self); i++) {
        player_items_write(&self->players[i], &out);
    }
    return write_entry(self, &out, write);
}

void table_journal_begin(struct table *self)
{
    enum { LONG = 1 << 16 /* bytes */ };
    const struct journal *journal = &self->journal;
    const int is_new =
        journal->size == 0 || journal->is_broken || journal->size + journal->late_size > LONG + 4 * journal->begun;
    self->played = 0;
    if (!is_off(self) && (!is_new || write_table(self, journal_begin) != 0)) {
        (void)write_table(self, journal_add); /* also when it is long and cannot begin anew */
    }
}

void table_journal_add(struct table *self, int kind, int player, int64_t value, int64_t time)
{
    if (is_off(self)) {
        return;
    }
    struct wire_out out;
    journal_entry(&out, self->shared->entry, 0);
    wire_array(&out, JOURNAL_ITEMS);
    wire_int(&out, kind);
    wire_int(&out, self->played);
    wire_int(&out, player);
    wire_int(&out, value);
    wire_int(&out, time);
    (void)write_entry(self, &out, journal_add);
}

int table_journal_mend(struct table *self)
{
    char path[FILES_PATH];
    if (is_off(self) || !journal_is_late(&self->journal, self->shared->disk)) {
        return 0;
    }
    if (self->phase != TABLE_OVER && !self->begun && table_turn(self) == 0) {
        self->played = 0;
        return write_table(self, journal_begin);
    }
    return path_of(self, path) == 0 ? journal_mend(&self->journal, self->shared->disk, path) : -1;
}

void table_journal_remove(const struct table *self)
{
    char path[FILES_PATH];
    if (!is_off(self) && path_of(self, path) == 0) {
        disk_remove(self->shared->disk, path);
    }
}
