/* A guest and its host: the host asks for names and numbers, and knows what the guest must answer to each question. */
#ifndef STORY_GUESTS_H
#define STORY_GUESTS_H

#include "story_client.h"

enum { GUESTS_QUESTIONS = 12, GUESTS_WAIT_MS = 120 * 1000 /* for an answer, while nothing fails */ };

enum wish { PARTY_NOTHING, PARTY_WAIT, PARTY_INVITE, PARTY_ASK, PARTY_PING, PARTY_DISMISS, PARTY_BYE };

/* Either of the two. */
struct party {
    struct speaker speaker;
    struct party *other;
    int is_host;
    enum wish wants, asked[SPEAKER_REQUESTS]; /* the next request, and by seq those that were made */
    int64_t turn, content; /* the last question: its number as the server counts, and what it says; 0: none */
    uint64_t guest;        /* its number; 0: it has to be invited */
    uint64_t told;         /* the guest of the last request that names one */
    uint64_t said_by;      /* the last answer that was heard: of which guest, */
    int64_t said_turn;     /* to which question, */
    int64_t said;          /* and what it was */
    int answered;          /* questions */
    int64_t told_at;
    long
        crashes; /* of the server, when it was asked to tell it: a later one has forgotten guests, but not its reply */
};

static int64_t answer_to(int64_t content)
{
    return content * 7 % 1000;
}

static void write_party(const struct party *self, enum wish wish, struct wire_out *out)
{
    if (wish == PARTY_WAIT || wish == PARTY_INVITE) {
        wire_map(out, 2);
        wire_key_text(out, "name", "guest");
        wire_key_text(out, "game", "mhing");
    } else if (wish == PARTY_ASK || wish == PARTY_DISMISS) {
        wire_uint(out, self->told);
    }
    if (wish == PARTY_ASK) {
        wire_text(out, "turn");
        wire_int(out, 1000);
        wire_int(out, self->content);
        wire_int(out, 0);
        wire_int(out, 0);
    }
}

static int party_ask(struct speaker *speaker, uint64_t seq)
{
    struct party *self = (struct party *)speaker;
    static const struct {
        const char *name;
        size_t arguments;
    } kinds[] = {{"", 0}, {"wait", 1}, {"invite", 1}, {"tell", 6}, {"ping", 0}, {"dismiss", 1}, {"bye", 0}};
    if (self->wants == PARTY_NOTHING || seq >= SPEAKER_REQUESTS - 1) {
        return 0;
    }
    const enum wish wish = self->asked[seq] = self->wants;
    self->wants = PARTY_NOTHING;
    self->told = self->guest;
    note("ask", speaker->client.number, (int64_t)seq, kinds[wish].name);
    if (wish == PARTY_ASK) {
        self->content++;
        self->crashes = world.crashes;
    }
    struct wire_out out = begin_call(kinds[wish].name, seq, kinds[wish].arguments);
    write_party(self, wish, &out);
    speaker->asked[seq] =
        (struct asked){.message = wire_finish(&out), .told_at = -1, .holds = kinds[wish].arguments > 0};
    speaker->says_bye = wish == PARTY_BYE;
    return 1;
}

static uint64_t party_check(const struct asked *asked, const msgpack_object *items, uint32_t count)
{
    (void)asked;
    (void)items;
    (void)count;
    return 0;
}

/* After a hello an answer may be heard before the reply that says which question it is for. */
static void take_said(struct party *self)
{
    if (self->turn == 0 || self->said_by != self->guest || self->said_turn != self->turn) {
        return;
    }
    if (self->said != answer_to(self->content)) {
        fault(self->speaker.client.number, "it is told another answer than its guest has given", self->turn);
    }
    note("said", self->speaker.client.number, self->turn, "");
    self->answered++;
    self->turn = 0;
    self->wants = self->answered < GUESTS_QUESTIONS ? PARTY_ASK : PARTY_BYE;
}

/* An invitation counts whenever it is heard: where a loss of power has undone a refusal, the request is executed
 * again. */
static void take_guest(struct party *self, uint64_t seq, const msgpack_object *items)
{
    if (self->asked[seq] != PARTY_INVITE || !is_text(&items[0], "ok")) {
        return;
    }
    self->guest = wire_key(&items[2], "guest")->via.u64;
    self->turn = 0;
    self->said_by = 0; /* after a restart of the server guests have the same numbers again */
}

/* The host continues after the reply to its last request. */
static void host_answered(struct party *self, enum wish wish, int is_ok, const msgpack_object *items)
{
    if (wish == PARTY_INVITE && self->guest > 0) {
        self->wants = PARTY_ASK;
    } else if (wish == PARTY_ASK && is_ok) {
        self->turn = (int64_t)items[2].via.u64;
        self->told_at = platter.now_ms;
        take_said(self);
    } else if ((wish == PARTY_ASK || wish == PARTY_DISMISS) && self->told == self->guest) {
        self->guest = 0; /* it has left, or was left */
        self->turn = 0;
    }
}

static void party_answered(struct speaker *speaker, uint64_t seq, const msgpack_object *items)
{
    struct party *self = (struct party *)speaker;
    take_guest(self, seq, items);
    if (speaker->says_bye && seq == speaker->count) {
        speaker_done(speaker);
    } else if (self->is_host && seq == speaker->count) {
        host_answered(self, self->asked[seq], is_text(&items[0], "ok"), items);
    }
    speaker->think_at = platter.now_ms + (self->wants ? 0 : 500 + pick(speaker, 4000));
}

static void party_reset(struct speaker *speaker)
{
    struct party *self = (struct party *)speaker;
    for (uint64_t i = 1; i <= speaker->count; i++) {
        wire_release(speaker->asked[i].message);
    }
    speaker->count = 0;
    self->guest = 0;
    self->turn = 0;
    self->wants = self->is_host ? PARTY_INVITE : PARTY_WAIT;
}

static void party_hear(struct speaker *speaker, const msgpack_object *items, uint32_t count, int64_t said)
{
    struct party *self = (struct party *)speaker;
    (void)count;
    (void)said;
    if (is_text(&items[0], "turn")) {
        self->turn = items[1].via.i64;
        self->content = items[3].via.i64;
        note("turn", speaker->client.number, self->turn, "");
        speaker->think_at = platter.now_ms + pick(speaker, 2000);
    } else if (is_text(&items[0], "said")) {
        self->said_by = items[1].via.u64;
        self->said_turn = items[2].via.i64;
        self->said = items[3].via.i64;
        take_said(self);
        speaker->think_at = self->wants ? platter.now_ms : speaker->think_at;
    } else if (is_text(&items[0], "left") && items[1].via.u64 == self->guest) {
        self->guest = 0;
        self->turn = 0;
    } else if (is_text(&items[0], "error") &&
               !self->is_host) { /* answered before, or a question from before a restart */
        self->turn = self->turn == items[1].via.i64 ? 0 : self->turn;
    }
}

static void guest_think(struct party *self)
{
    struct speaker *speaker = &self->speaker;
    if (self->turn > 0) {
        struct wire_out out = begin_call("act", (uint64_t)self->turn, 1);
        wire_int(&out, answer_to(self->content));
        note("act", speaker->client.number, self->turn, "");
        speaker_send(speaker, &out); /* again and again, until it is called late */
    } else if (self->wants == PARTY_NOTHING) {
        self->wants = self->other->speaker.client.is_done ? PARTY_BYE : PARTY_WAIT;
    }
}

/* The host looks for its guest, or whether it is connected still; the clock of a question that a server has
 * forgotten. */
static void host_think(struct party *self)
{
    const int64_t since = world.calm_at > self->told_at ? world.calm_at : self->told_at;
    const int is_over = self->turn > 0 && platter.now_ms > since + GUESTS_WAIT_MS;
    if (is_over && self->crashes == world.crashes) {
        fault(self->speaker.client.number, "its guest's answer is lost", self->turn);
    }
    if (self->wants == PARTY_NOTHING) {
        self->wants = is_over                                      ? PARTY_DISMISS
                      : self->turn == 0 && self->guest > 0         ? PARTY_ASK
                      : self->guest == 0 && self->speaker.next > 0 ? PARTY_INVITE
                                                                   : PARTY_PING;
    }
}

static void party_wake(struct client *client)
{
    struct party *self = (struct party *)client;
    struct speaker *speaker = &self->speaker;
    if (platter.now_ms >= speaker->think_at) {
        speaker->think_at = platter.now_ms + 2000 + pick(speaker, 4000);
        if (speaker->is_greeted && speaker->base == speaker->next && !speaker->says_bye) {
            (self->is_host ? host_think : guest_think)(self);
        }
        if (speaker->is_greeted) {
            pump(speaker);
        }
    }
    speaker_wake(client);
}

static void party_finish(struct client *client)
{
    speaker_free((struct speaker *)client);
}

static const struct speaker_kind party_kind = {party_ask, party_check, party_answered, party_hear, party_reset};
static const struct client_kind party_client_kind = {party_wake,   speaker_hear,      speaker_sent, speaker_arrived,
                                                     speaker_lost, speaker_restarted, party_finish};

/* The guest of a host, or with NULL a host. */
static struct party *party_new(struct party *host)
{
    struct party *self = check_memory(sizeof *self);
    self->speaker.client.kind = &party_client_kind;
    self->speaker.kind = &party_kind;
    self->is_host = !host;
    self->other = host;
    return self;
}

static void party_begin(struct client *client)
{
    struct party *self = (struct party *)client;
    self->speaker.window = 1;
    self->wants = self->is_host ? PARTY_INVITE : PARTY_WAIT;
    speaker_begin(&self->speaker);
}

#endif
