/* The log under all journals: what a process wrote before it was killed or lost its power is read again, and what is
 * read is what was written.
 *
 * A file is a head and then entries:
 *
 *   head    "mhing-j" and a version of one byte; salt (8 bytes); check (8)
 *   entry   length of its body (4); unsynced (4); check of this head (8); check of the body (8); body
 *
 * All numbers are little-endian. The checks are seeded with the file's salt, which is drawn anew whenever a journal
 * begins, and with the entry's place. So bytes of another file, of an earlier file in the same blocks, or of another
 * place never pass, nor do zeros. The check has 64 bits, because a damaged file is searched for further entries at
 * every byte, and a check of 32 bits would find some in long garbage. It is built from steps that are bijections of 64
 * bits: a change within eight aligned bytes is certain to be noticed, others all but once in 2^64.
 *
 * Three things are told apart at the first entry that is not whole:
 *   torn      The file ends within the entry, or has only zeros from there on. A killed process leaves the first, a
 *             loss of power either. The reader drops the entry, as Redis does with an AOF and SQLite with a WAL.
 *   garbled   Nothing valid follows, but the bytes were never part of an entry. Either power was lost or the last
 *             entry was damaged; the file is copied aside before the reader continues without the entry.
 *   damaged   The head is not valid; or a valid entry follows that was written when the bad one was on the disk
 *             already. Only damage does this: continuing would undo what was confirmed, so the file is set aside.
 * `unsynced` is what makes the last distinction certain: how many bytes before this entry had perhaps not reached the
 * disk when it was written. A loss of power may keep a later write and lose an earlier one, but only among these. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "disk.h"
#include "wire.h"

enum {
    JOURNAL_HEAD = 24,
    JOURNAL_ENTRY = 24,                         /* bytes before an entry's body */
    JOURNAL_ROOM = JOURNAL_HEAD + JOURNAL_ENTRY /* what journal_entry leaves free */
};

/* A file as its writer knows it. All zeros: not begun. */
struct journal {
    uint64_t salt;
    size_t size, begun;  /* bytes in the file: now, and when it began */
    size_t synced;       /* of them, at the beginning of the disk's last round that wrote to it */
    unsigned char *late; /* entries that could not be written yet */
    size_t late_size, late_space;
    int is_broken; /* entries are missing, so it must begin anew */
    struct disk_ticket ticket;
};

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* Begins an entry, whose body the caller writes: one msgpack array or several. `memory`: a free message to write it
 * into, or NULL for a new one of the expected size. */
void journal_entry(struct wire_out *out, struct wire_message *memory, size_t expected);

/* Finishes the entry and begins the file at `path` with it, replacing an existing file. Returns -1 when the system
 * refuses or there was no memory: nothing has changed then. */
int journal_begin(struct journal *self, struct disk *disk, const char *path, struct wire_out *out);

/* Finishes the entry and adds it. -1 when the system refuses. The entry is then kept in memory, and written before the
 * next one; or, when there is no memory for it or it waits with too many others, the journal is broken. Nothing is
 * added to a broken journal. */
int journal_add(struct journal *self, struct disk *disk, const char *path, struct wire_out *out);

/* True if entries are not in the file, or perhaps not on the disk since a sync has failed. */
int journal_is_late(const struct journal *self, const struct disk *disk);

/* Writes what is late. -1 when the system refuses, or the journal is broken. */
int journal_mend(struct journal *self, struct disk *disk, const char *path);

/* Forgets the file and frees what could not be written. */
void journal_forget(struct journal *self);

/* ---- Reading ------------------------------------------------------------------------------------------------ */

enum journal_finding { JOURNAL_WHOLE, JOURNAL_TORN, JOURNAL_GARBLED, JOURNAL_DAMAGED };

struct journal_file {
    unsigned char *bytes; /* freed by journal_close */
    size_t size, whole;   /* bytes: all, and up to the end of the last whole entry */
    size_t at;            /* of the next entry */
    uint64_t salt;
    enum journal_finding finding;
    char found[MH_MESSAGE_SIZE]; /* in words, unless it is whole */
};

/* Reads and checks the file, and tells the log what is left out. MH_OK, or with a message MH_ERROR_MEMORY, also when
 * too many files are open, or another enum mh_status, when it is damaged or cannot be read. journal_close is due in any
 * case. */
int journal_read(const char *path, const struct files_log *log, struct journal_file *file, char *message);

/* The body of the next whole entry, within `bytes`. Returns 0 after the last one. */
int journal_next(struct journal_file *file, const unsigned char **body, size_t *size);

/* Makes `self` continue after the last whole entry, and cuts off what follows it. A garbled file is copied aside
 * first. Returns 0, or -1 when the system refuses. */
int journal_continue(struct journal *self, const char *path, const struct journal_file *file);

void journal_close(struct journal_file *file);

#endif
