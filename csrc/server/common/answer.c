#include "answer.h"

#include <string.h>

const char answer_slow[] = "slow";

enum { HEAD = 16 /* bytes before the results, at most: array, "ok" and seq */ };

int answer_begin(struct answer *self, size_t size, struct wire_error *error)
{
    struct wire_message *message = self->pool ? pool_take(self->pool, size + HEAD) : NULL;
    if (self->pool && !message) {
        return wire_refuse(error, answer_slow, "replies pile up unread; read them, then send this request again");
    }
    if (message) {
        wire_begin_in(&self->out, message);
    } else {
        wire_begin(&self->out, size + HEAD);
        if (self->out.failed) {
            return wire_refuse(error, "memory", "no memory for a reply");
        }
    }
    wire_array(&self->out, 2);
    wire_text(&self->out, "ok");
    wire_uint(&self->out, self->seq);
    return 0;
}

struct wire_message *answer_end(struct answer *self, int results)
{
    struct wire_message *message = wire_finish(&self->out);
    if (message) {
        message->bytes[0] = (unsigned char)(message->bytes[0] + results);
    }
    return message;
}

/* Error texts quote the client's bytes, cut anywhere. Only ASCII is certain to be valid UTF-8 then. */
static void make_plain(char *text)
{
    for (; *text; text++) {
        *text = *text >= 0x20 && *text < 0x7f ? *text : '?';
    }
}

struct wire_message *answer_error(uint64_t seq, const struct wire_error *error)
{
    char text[MH_MESSAGE_SIZE];
    memcpy(text, error->text, sizeof text);
    make_plain(text);
    struct wire_out out;
    wire_begin(&out, HEAD + sizeof error->text);
    wire_array(&out, 4);
    wire_text(&out, "error");
    wire_uint(&out, seq);
    wire_text(&out, error->code);
    wire_text(&out, text);
    return wire_finish(&out);
}
