#include "journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mh_text.h"
#include "entropy.h"

enum { VERSION = 1, MAGIC = 8, LATE = 1 << 20 /* bytes that wait in memory, at most */ };

/* The places of the parts of an entry's head. */
enum { LENGTH = 0, UNSYNCED = 4, HEAD_CHECK = 8, BODY_CHECK = 16 };

static const unsigned char magic[MAGIC] = {'m', 'h', 'i', 'n', 'g', '-', 'j', VERSION};

/* ---- Numbers and checks ------------------------------------------------------------------------------------- */

static void put_number(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

static uint64_t get_number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << 8 * i;
    }
    return value;
}

/* A bijection of `check` for any word, and of the word for any `check`. */
static uint64_t mix(uint64_t check, uint64_t word)
{
    check = (check ^ word) * 0x9E3779B97F4A7C15u;
    check = (check ^ check >> 32) * 0xD6E8FEB86659FD93u;
    return check ^ check >> 29;
}

static uint64_t check_of(uint64_t seed, const unsigned char *bytes, size_t size)
{
    uint64_t check = mix(seed, size);
    for (; size >= 8; bytes += 8, size -= 8) {
        check = mix(check, get_number(bytes, 8));
    }
    return size > 0 ? mix(check, get_number(bytes, (int)size)) : check;
}

/* Seeded with the file and the place in it. */
static uint64_t check_head(uint64_t salt, size_t at, const unsigned char *entry)
{
    return check_of(mix(salt, at), entry, HEAD_CHECK);
}

static uint64_t check_body(const unsigned char *entry, const unsigned char *body, size_t size)
{
    return check_of(get_number(entry + HEAD_CHECK, 8), body, size);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

void journal_entry(struct wire_out *out, struct wire_message *memory, size_t expected)
{
    if (memory) {
        wire_begin_in(out, memory);
    } else {
        wire_begin(out, JOURNAL_ROOM + expected);
    }
    if (!out->failed) {
        out->message->size = JOURNAL_ROOM;
    }
}

/* Writes the head of the entry that will be at `at` in the file. */
static void seal(uint64_t salt, size_t at, size_t unsynced, struct wire_message *message)
{
    unsigned char *entry = message->bytes + JOURNAL_HEAD;
    const size_t length = message->size - JOURNAL_ROOM;
    put_number(entry + LENGTH, length, 4);
    put_number(entry + UNSYNCED, unsynced < UINT32_MAX ? unsynced : UINT32_MAX, 4);
    put_number(entry + HEAD_CHECK, check_head(salt, at, entry), 8);
    put_number(entry + BODY_CHECK, check_body(entry, entry + JOURNAL_ENTRY, length), 8);
}

/* The finished entry; NULL: no memory, or it is too long. */
static struct wire_message *finish_entry(struct wire_out *out)
{
    struct wire_message *message = wire_finish(out);
    if (message && message->size - JOURNAL_ROOM > UINT32_MAX) {
        wire_release(message);
        message = NULL;
    }
    return message;
}

int journal_begin(struct journal *self, struct disk *disk, const char *path, struct wire_out *out)
{
    uint64_t salt;
    struct disk_ticket ticket = {0, 0};
    struct wire_message *message = finish_entry(out);
    if (!message || entropy_fill(&salt, sizeof salt) != 0) {
        wire_release(message);
        return disk_refuse(disk);
    }
    unsigned char *head = message->bytes;
    memcpy(head, magic, MAGIC);
    put_number(head + MAGIC, salt, 8);
    put_number(head + MAGIC + 8, check_of(0, head, MAGIC + 8), 8);
    seal(salt, JOURNAL_HEAD, 0, message);
    const size_t size = message->size;
    const int failed = disk_replace(disk, &ticket, path, message->bytes, size, self->size == 0);
    wire_release(message);
    if (!failed) {
        journal_forget(self);
        *self = (struct journal){.salt = salt, .size = size, .begun = size, .ticket = ticket};
    }
    return failed;
}

/* Keeps an entry in memory. -1: there is no room for it. */
static int keep_late(struct journal *self, const unsigned char *bytes, size_t size)
{
    if (self->late_space - self->late_size < size) {
        const size_t space = 2 * (self->late_size + size);
        unsigned char *larger = space <= LATE ? realloc(self->late, space) : NULL;
        if (!larger) {
            return -1;
        }
        self->late = larger;
        self->late_space = space;
    }
    memcpy(self->late + self->late_size, bytes, size);
    self->late_size += size;
    return 0;
}

/* Writes at the end of the file. */
static int put_bytes(struct journal *self, struct disk *disk, const char *path, const unsigned char *bytes,
                     size_t size)
{
    if (disk_write(disk, &self->ticket, path, self->size, bytes, size) != 0) {
        return -1;
    }
    self->size += size;
    return 0;
}

static int write_late(struct journal *self, struct disk *disk, const char *path)
{
    if (self->late_size > 0 && put_bytes(self, disk, path, self->late, self->late_size) != 0) {
        return -1;
    }
    self->late_size = 0;
    return 0;
}

/* Bytes before the next entry that are perhaps not on the disk: all of them before the first sync of a process. With
 * DISK_NEVER nothing is known, and a gap is taken for damage. */
static size_t count_unsynced(struct journal *self, const struct disk *disk)
{
    if (self->ticket.round != disk->round) {
        self->synced = disk->inherits ? 0 : self->size;
    }
    return disk->sync == DISK_NEVER ? 0 : self->size + self->late_size - self->synced;
}

static int append_entry(struct journal *self, struct disk *disk, const char *path, struct wire_message *message)
{
    const unsigned char *entry = message->bytes + JOURNAL_HEAD;
    const size_t size = message->size - JOURNAL_HEAD;
    seal(self->salt, self->size + self->late_size, count_unsynced(self, disk), message);
    if (write_late(self, disk, path) == 0 && put_bytes(self, disk, path, entry, size) == 0) {
        return 0;
    }
    self->is_broken = keep_late(self, entry, size) != 0;
    return -1;
}

int journal_add(struct journal *self, struct disk *disk, const char *path, struct wire_out *out)
{
    struct wire_message *message = finish_entry(out);
    self->is_broken |= !message || self->size == 0;
    const int failed = self->is_broken ? disk_refuse(disk) : append_entry(self, disk, path, message);
    wire_release(message);
    return failed;
}

/* Perhaps not on the disk, because a sync has failed since it was written. */
static int is_lost(const struct journal *self, const struct disk *disk)
{
    return disk->lost > 0 && self->ticket.round >= disk->lost;
}

int journal_is_late(const struct journal *self, const struct disk *disk)
{
    return self->is_broken || self->late_size > 0 || is_lost(self, disk);
}

/* After a failed sync the file may have other bytes than those that were written. If it has not, they are written
 * again, with those that are late, into a new file. A part of the late ones may follow them in the old one. */
static int copy(struct journal *self, struct disk *disk, const char *path)
{
    struct journal_file file;
    struct disk_ticket ticket = {0, 0};
    const struct files_log silent = {NULL, NULL, NULL};
    int failed =
        journal_read(path, &silent, &file, NULL) != MH_OK || file.whole != self->size || file.salt != self->salt;
    unsigned char *bytes = failed ? NULL : malloc(self->size + self->late_size);
    if (bytes) {
        memcpy(bytes, file.bytes, self->size);
        if (self->late_size > 0) {
            memcpy(bytes + self->size, self->late, self->late_size);
        }
        failed = disk_replace(disk, &ticket, path, bytes, self->size + self->late_size, 0);
    }
    failed |= !bytes;
    if (!failed) {
        self->size += self->late_size;
        self->late_size = 0;
        self->ticket = ticket;
    }
    free(bytes);
    journal_close(&file);
    return failed ? -1 : 0;
}

int journal_mend(struct journal *self, struct disk *disk, const char *path)
{
    if (self->is_broken) {
        return -1;
    }
    return is_lost(self, disk) ? copy(self, disk, path) : write_late(self, disk, path);
}

void journal_forget(struct journal *self)
{
    free(self->late);
    *self = (struct journal){.size = 0};
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* True if an entry's head is at that place. */
static int is_head(const struct journal_file *file, size_t at)
{
    return file->size - at >= JOURNAL_ENTRY &&
           get_number(file->bytes + at + HEAD_CHECK, 8) == check_head(file->salt, at, file->bytes + at);
}

/* The size of the whole entry at that place, or 0. */
static size_t whole_entry(const struct journal_file *file, size_t at)
{
    const unsigned char *entry = file->bytes + at;
    if (!is_head(file, at)) {
        return 0;
    }
    const size_t length = get_number(entry + LENGTH, 4);
    return length <= file->size - at - JOURNAL_ENTRY &&
                   get_number(entry + BODY_CHECK, 8) == check_body(entry, entry + JOURNAL_ENTRY, length)
               ? JOURNAL_ENTRY + length
               : 0;
}

static int is_zero(const unsigned char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && bytes[i] == 0) {
        i++;
    }
    return i == size;
}

/* The place of an entry behind `at` that was written when all before it, up to behind `at`, was on the disk. 0: none
 * is. */
static size_t later_entry(const struct journal_file *file, size_t at)
{
    for (size_t next = at + 1; next + JOURNAL_ENTRY <= file->size; next++) {
        if (is_head(file, next) && next - at > get_number(file->bytes + next + UNSYNCED, 4)) {
            return next;
        }
    }
    return 0;
}

/* Finds what is wrong with the entry after the last whole one. */
static void find_fault(struct journal_file *file)
{
    const size_t at = file->whole;
    const size_t left = file->size - at;
    const size_t later = later_entry(file, at);
    const int is_short = left < JOURNAL_ENTRY ||
                         (is_head(file, at) && get_number(file->bytes + at + LENGTH, 4) > left - JOURNAL_ENTRY);
    if (later > 0) {
        file->finding = JOURNAL_DAMAGED;
        mh_message(file->found, "the entry at byte %zu is damaged, and a valid one follows at byte %zu", at, later);
    } else if (is_short) {
        file->finding = JOURNAL_TORN;
        mh_message(file->found, "the last entry, at byte %zu, was not written to its end", at);
    } else if (is_zero(file->bytes + at, left)) {
        file->finding = JOURNAL_TORN;
        mh_message(file->found, "only zeros follow from byte %zu on", at);
    } else {
        file->finding = JOURNAL_GARBLED;
        mh_message(file->found, "the last entry, at byte %zu, is damaged or was never written", at);
    }
}

static void check_file(struct journal_file *file)
{
    const unsigned char *head = file->bytes;
    size_t entry = 0;
    file->finding = JOURNAL_DAMAGED;
    if (file->size < JOURNAL_HEAD) {
        mh_message(file->found, "it has %zu bytes, fewer than the head of a journal", file->size);
    } else if (get_number(head + MAGIC + 8, 8) != check_of(0, head, MAGIC + 8)) {
        mh_message(file->found, "its first %d bytes are not the head of a journal", JOURNAL_HEAD);
    } else if (memcmp(head, magic, MAGIC) != 0) {
        mh_message(file->found, "it was written by another version of the server");
    } else {
        file->finding = JOURNAL_WHOLE;
        file->salt = get_number(head + MAGIC, 8);
        file->at = file->whole = JOURNAL_HEAD;
        while (file->whole < file->size && (entry = whole_entry(file, file->whole)) > 0) {
            file->whole += entry;
        }
        if (file->whole < file->size) {
            find_fault(file);
        }
        if (file->whole == JOURNAL_HEAD) {
            file->finding = JOURNAL_DAMAGED; /* it began with its first entry, in one step */
            mh_message(file->found, "its first entry is not whole");
        }
    }
}

int journal_read(const char *path, const struct files_log *log, struct journal_file *file, char *message)
{
    *file = (struct journal_file){.bytes = NULL};
    int status = files_read(path, &file->bytes, &file->size);
    if (status == MH_ERROR_ARGUMENT) {
        status = files_read(path, &file->bytes, &file->size); /* some errors of disks pass */
    }
    if (status != MH_OK) {
        mh_message(message, "it cannot be read: %s", strerror(errno));
        return status;
    }
    check_file(file);
    if (file->finding == JOURNAL_DAMAGED) {
        mh_message(message, "%s", file->found);
        return MH_ERROR_SNAPSHOT;
    }
    if (file->finding != JOURNAL_WHOLE) {
        files_say(log, "state: %s: %s; %zu bytes are left out", path, file->found, file->size - file->whole);
    }
    return MH_OK;
}

int journal_next(struct journal_file *file, const unsigned char **body, size_t *size)
{
    if (file->at >= file->whole) {
        return 0;
    }
    *body = file->bytes + file->at + JOURNAL_ENTRY;
    *size = get_number(file->bytes + file->at + LENGTH, 4);
    file->at += JOURNAL_ENTRY + *size;
    return 1;
}

int journal_continue(struct journal *self, const char *path, const struct journal_file *file)
{
    char aside[FILES_PATH];
    const size_t begun = JOURNAL_ROOM + get_number(file->bytes + JOURNAL_HEAD + LENGTH, 4);
    *self =
        (struct journal){.salt = file->salt, .size = file->whole, .begun = begun, .ticket = {DISK_INHERITED, 0}};
    if (file->finding == JOURNAL_GARBLED &&
        (files_aside(path, aside) != 0 || files_make(aside, file->bytes, file->size) != 0)) {
        return -1;
    }
    return file->whole < file->size ? files_cut(path, file->whole) : 0;
}

void journal_close(struct journal_file *file)
{
    free(file->bytes);
    file->bytes = NULL;
}
