/* The messages of a table, as PROTOCOL.md describes them. A message contains nothing that its receiver may not know.
 * Even its number counts only messages to that receiver, so questions to others leave no trace. */
#ifndef TABLE_MESSAGES_H
#define TABLE_MESSAGES_H

#include "table.h"

/* To one player. */
void tell_start(struct table *self, int player);
void tell_turn(struct table *self, int player); /* the open question */
void tell_end(struct table *self, int player);
void tell_away(struct table *self, int player);
void tell_error(struct table *self, int player, const char *code, const char *text);

/* To all players: the last round has ended. */
void tell_round(struct table *self);

/* To spectators. */
void show_state(struct table *self);
void show_change(struct table *self); /* the state, now or when the table has been slow enough: see TABLE_AHEAD */
void show_events(struct table *self, const uint8_t (*events)[4], size_t count);
void show_round(struct table *self); /* has ended, and the next one is not dealt */
void show_end(struct table *self);

/* Keys that several messages share, with their values: `table, number, games`, and `game, options, players, seeded`,
 * and `hash` and `left` where there is something to tell. */
enum { TABLE_KEYS = 3 };
void write_table_keys(const struct table *self, struct wire_out *out);
size_t count_game_keys(const struct table *self);
void write_game_keys(const struct table *self, struct wire_out *out);

/* And of a table that was dealt, what a player sees now: `observation, numbers`. */
enum { VIEW_KEYS = 2 };
void write_view_keys(struct table *self, int player, struct wire_out *out);

#endif
