/* The table of mh_buffers.h as data. */
#include <string.h>

#include "mh.h"

enum dim { NONE, ONE, ROWS, OBSERVATION, ACTIONS, INFO, SEATS, FINAL_SEATS };

static const struct {
    const char *name, *type, *meaning;
    int32_t size, when;
    enum dim dims[3];
} table[] = {
#define MH_BUFFER_ROW(type, name, when, meaning, ...)                                                              \
    {#name, #type, meaning, (int32_t)sizeof(type), MH_WHEN_##when, {__VA_ARGS__}},
    MH_BUFFERS(MH_BUFFER_ROW)
#undef MH_BUFFER_ROW
};

_Static_assert(sizeof table / sizeof *table == MH_NUM_BUFFERS, "struct mh_buffers is nothing but its pointers");

int mh_buffer_count(void)
{
    return MH_NUM_BUFFERS;
}

int mh_buffer_at(int index, const struct mh_sizes *sizes, int rows, int final_seats, struct mh_buffer *buffer)
{
    if (index < 0 || index >= MH_NUM_BUFFERS || !sizes || !buffer) {
        return MH_ERROR_ARGUMENT;
    }
    const int32_t lengths[] = {[ONE] = 1,
                               [ROWS] = rows,
                               [OBSERVATION] = sizes->observation,
                               [ACTIONS] = sizes->actions,
                               [INFO] = sizes->info,
                               [SEATS] = sizes->seats,
                               [FINAL_SEATS] = final_seats};
    *buffer = (struct mh_buffer){.name = table[index].name,
                                 .type = table[index].type,
                                 .meaning = table[index].meaning,
                                 .size = table[index].size,
                                 .when = table[index].when,
                                 .is_seat = strcmp(table[index].type, "mh_seat") == 0};
    for (int i = 0; i < 3 && table[index].dims[i] != NONE; i++) {
        buffer->dims[buffer->num_dims++] = lengths[table[index].dims[i]];
    }
    return MH_OK;
}
