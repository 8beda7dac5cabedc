/* The contract of a game: all that the runtime, Python, the server, the pictures and the tests demand of one.
 *
 * A game is a folder envs/<game>. It gives the runtime a table of rows and a dozen functions on a plain C struct, its
 * state. From these the runtime makes masks, legal lists, batches, snapshots and descriptions. Python and the server
 * add environments, spaces, pictures and tables. Nothing outside the folder names the game but a line in games.def.
 *
 * Each demand has a number. tests/python/runtime/test_contract.py cites it and says what to add where a game does not meet it;
 * the compiler asks for functions and rows that are missing. <game> stands for MH_ID, and g_ for MH_PREFIX.
 *
 * Names
 *   C1   The header envs/<game>/<game>.h defines MH_ID, MH_TITLE and MH_VERSION and includes "frame/mh_declare.inc",
 *        which declares what follows from the table envs/<game>/<game>.def. One C file includes "frame/mh_rules.inc"
 *        after it. All C files of the folder belong to the game; names that they share begin with the prefix, others
 *        are static.
 *   C2   The id is the folder's name: at most 23 of a-z, 0-9 and _, a letter first, and no word of C or Python. Titles,
 *        meanings and all texts that a game writes are printable ASCII without quotes and backslashes.
 *   C3   MH_VERSION goes up when the same seed and actions give other results.
 *
 * The table (mh_table.inc lists its rows)
 *   C4   Names are unique within a kind of rows, and are C identifiers. Every row has a meaning of one line. Encodings
 *        stand in it, where pictures read them: "card+1" and "seat+1" for a number plus one, 0 for none; "by card" for
 *        a field with a place for each; in the same way "x+1" and "by x" for the labels called xs (C9); "low byte first"
 *        for a number of several bytes. Numbers are exact: a field has as many bytes as its largest one takes.
 *   C5   An option num_players gives the seats, 2 to 6. At most 16 options. Values are whole numbers, or words as in
 *        "round|game"; "off|on" is a switch. Any option name is allowed that is no keyword of
 *        mhing.env.CardGameEnv. Defaults are accepted together.
 *   C6   Presets, if there are any, hold settings that are accepted.
 *   C7   Action ids are dense, in the order of the rows, and mean the same under all options.
 *   C8   The first bot is MH_BOT(random, ...), which the runtime plays. The second one plays where none is
 *        named, or the first where it is alone: it should be fast. Others may be as strong and as slow as they like.
 *   C9   MH_LABELS(cards, ...) gives the texts of the numbers in a deck, one word each. Cards written as Ts or Ah, a
 *        rank of 23456789TJQKA before a suit of shdc, have their faces in pictures and are spoken as "ten of spades".
 *        MH_LABELS(spoken, ...), which other cards may have, has a label for each of `cards`. Further labels name other
 *        numbers, in at most MH_LABEL_SIZE bytes: those of a field or public number x are called x or xs. Words and
 *        pictures show them for public numbers, and for fields whose meaning has the encoding (C4).
 *   C10  There is at least one row MH_OWN or MH_FIELD, one MH_SEAT_FIELD and one public number.
 *
 * The state
 *   C11  struct g_state has the members head (struct mh_head, first), legal (uint64_t[LEGAL_WORDS]), options
 *        (int32_t[OPTIONS]) and events (struct mh_events), and what the game needs. It takes at most 8192 bytes, a
 *        multiple of 8. The constant DECK is the number of cards that a deck has, at most 256.
 *   C12  It is plain data without pointers and without padding, which `unused` members take the place of. It is copied,
 *        compared and saved as bytes: states that are equal by the rules have equal bytes. Rows MH_MEMBER name what the
 *        game needs beside the four, so that saved bytes are the same on every machine. Numbers of the state have a
 *        width that their type names (int32_t, not int or long), and no bit-fields.
 *   C13  Functions have no memory beside the state: no globals, no allocation, no files, no clock. They run in several
 *        threads at once, on different states. They never fail: what the runtime passes is checked.
 *   C14  All chance comes from head.rng, or from generators in the state that began with it, which have rows
 *        MH_GENERATOR instead of MH_MEMBER. Only deals draw from head.rng: between two deals the runtime may replace
 *        it. Results are the same on every machine, so rules do not compute in floating point.
 *
 * Play
 *   C15  A deck has one card of each number from 0 to DECK - 1. A game with other decks has MH_HAS_DECK and
 *        g_fill_deck(deck), which writes the numbers in any order. g_shuffle(state, deck, cards), the runtime's, gives
 *        the cards to deal.
 *   C16  g_reset(state, deck) deals. The state is zero but for head.rng, head.seats, options and events, which has begun
 *        and is empty. `deck`, where it is not NULL, is dealt in its order instead of the first shuffle. What the deal
 *        turns up for all to see is an event: tests take two worlds with the same events for alike. A game of several
 *        rounds has MH_HAS_ROUNDS, a #define as below, and g_next_round(state), which deals the further ones; head.seat
 *        is 0 then, and rewards stay as they are.
 *   C17  g_apply(state, action) plays a legal action of head.seat. Rewards of the action before have been cleared.
 *   C18  All of them leave the seat to act in head.seat and its actions in `legal`, at least one; or they end the round
 *        with mh_head_end_round, and with the last one the episode. An action that ends a round deals nothing: code
 *        that shows a game stops there, and code that asks for decisions continues with g_next_round. Every episode
 *        ends, by a limit where random play could last forever.
 *   C19  head.rounds goes up by one when a round ends, the last one included: an episode has one at least, and an action
 *        ends one at most. Rewards are added with mh_head_reward as they are earned, once.
 *   C20  Public events are added with mh_events_add, fewer than MH_EVENT_TAIL in an action and the deal after it. What
 *        not everybody saw is no event and leaves none: a secret pass, a question to one seat.
 *   C21  g_action_text(action, text) writes a distinct text for every id, of at most MH_TEXT_SIZE bytes.
 *   C22  Bots, g_<name>(state, rng), choose a legal action for head.seat. They see what g_observe shows that seat, and
 *        draw from `rng` alone.
 *
 * What is seen
 *   C23  g_observe(state, seat, view, seats) writes every byte of the fixed part and of the seats' blocks, clockwise
 *        from the observer, for any seat at any time. Nothing in them follows from what the seat cannot know.
 *   C24  MH_OWN fields are for the observer alone. MH_FIELD and MH_SEAT_FIELD fields are public: for every observer
 *        the same, but that seats are counted from it. Spectators get the public fields of seat 0.
 *   C25  No field is above the `high` of its row. Columns named event_seat, event_kind and so on are 32 long, as
 *        mh_events_show writes them.
 *   C26  g_info(state, info) writes the public numbers into zeroed memory. Seats in them are absolute. They change only
 *        when head.rounds does; a deal changes the round and what it names, such as who deals. What a round has paid
 *        follows from them: it is a number of each seat, its change or its order, a number for the winner, from the
 *        others or not, or a win, which equal seats share.
 *   C27  Roles say what a number is: MH_ROUNDS the rounds finished, which the runtime writes; MH_WINNER the seat that
 *        won the round finished last, -1 where none did or several share it; MH_TOTAL and MH_SEAT_TOTAL what that round
 *        brought its winner or each seat, which tables at a server add up, at most four of them. All roles are optional.
 *   C28  g_json(state, out) writes further keys of the state as an object, from which an outsider can follow the game:
 *        at all times the same ones, each once. The runtime writes game, options, round, seat, events, returns, rewards,
 *        decisions and the generators, and result where there is no MH_HAS_RESULT: null, or of the round finished last
 *        "round", its number from 0, the winner and the totals. A game's own result has "round" and "winner" as well.
 *        "hands" has a list for each seat, of the texts of its cards; a hidden pile has the name of its row MH_HIDDEN,
 *        and the order in which it will be dealt or drawn, unless its row is "by card".
 *        Where equal cards can be told apart, their texts end with a mark, '. By custom "phase" is a word, "over"
 *        where a round is over.
 *
 * Worlds that may be
 *   C29  g_resample(state, observer, seed) draws anew all that the observer cannot know, hidden cards and generators,
 *        each world that fits what it has seen with the right chance; it may be reckoned with how others play. The
 *        result depends on nothing else that is hidden. The observer sees, and may do, what it did before; g_check
 *        accepts the state. If another seat is to act, its legal actions follow from its new cards. The observer may be
 *        MH_ALL_SEATS: then only piles that nobody sees and generators are drawn anew.
 *   C30  g_check(state, message) accepts every state that play leads to, and refuses bytes that none leads to (mh_refuse
 *        writes the message), so that all other functions are safe on what it accepts. The runtime has checked head,
 *        events, options and that `unused` members are zero before, and checks decisions and rewards against the bounds
 *        (C47) afterwards. What is kept only for speed must equal what it follows from. What is accepted comes out of
 *        its JSON with the same bytes (C45).
 *
 * Optional parts, each a #define before mh_declare.inc, and what happens without it
 *   C31  MH_HAS_CHECK_OPTIONS  g_check_options(options, message) refuses options that exclude each other with
 *                              MH_ERROR_OPTION and a message. Without: all combinations are accepted.
 *   C32  MH_HAS_IDLE           g_idle(state): the legal action played for a seat that does not answer; it does as little
 *                              as the rules allow, by what the seat knows. Without: the lowest one.
 *   C33  MH_HAS_EVENT_DETAILS  g_event_text(kind, detail, extra, text) writes what an event is about, g_event_fits says
 *                              whether it can have these details; MH_EXTRA names `extra` in JSON, or it is called
 *                              extra, and is 0 in games whose events have one detail. Without: both are 0.
 *   C34  MH_HAS_HINTS          rows MH_HINT, an option hints ("off|on"), and g_write_hints(state, seat, hints): what the
 *                              seat could compute from its observation, into zeroed memory. Without: none.
 *   C35  MH_HAS_HIDDEN         rows MH_HIDDEN and MH_HIDDEN_SEAT, and g_omniscient(state, hidden, seats): all that is
 *                              hidden, seats absolute, into zeroed memory. Without: it has no bytes.
 *   C36  MH_HAS_SEAT_TAIL      a row MH_SEAT_TAIL, last in a seat's block, and g_seat_tail(players): its bytes. An
 *                              observation takes at most 8192 bytes with it.
 *   C37  MH_HAS_WORDS          g_words and others (C49): a table in sentences. Without: a line for each field, by its
 *                              name and labels.
 *   C38  Games of several rounds (C16) have an option episode ("round|game"), which `mhing play --episode` sets.
 *
 * Beside the C
 *   C39  RULES.md numbers its rules **R1.1** and so on; code and tests cite no others. It has the tables that tests
 *        compare with the game: "| option | values | default |", "| preset | settings |", "| numbers | action | text |",
 *        "| type | cards | text |" and "| key | what it holds |". Rows that stand for several actions or cards read
 *        "0-7" and give the first and the last text: `bid 0`, `bid 7` for actions; `2c ... Ah` for cards.
 *   C40  Registered games have golden files, which tests/python/golden.py writes: playthroughs, spec, signature.
 *   C41  <game>_api.h declares functions for Python; the program in tables writes <game>_tables.h at build time; python/
 *        mhing/by_game/<game> has its terminal boards, commands and showcase. All three are optional.
 *
 * Bots that judge
 *   C42  A bot whose row is MH_VALUE_BOT also has g_<name>_values(state, all, values), with room by action that is full
 *        of NaN. It writes what head.seat will earn, as the bot expects it, from a legal action to the end of the round,
 *        in the unit of the reward: what the round has paid already is not in it. NaN stays where the bot does not judge
 *        an action, which should be rare, and everywhere where it plays for something else than the reward. The action
 *        that the bot plays has the largest value, unless it judges none. Unless `all` is set, only the largest is asked
 *        for: actions that cannot have it may stay NaN. C13 and C22 hold for values as well.
 *
 * Moves that nets judge
 *   C43  A game with MH_HAS_AFTERSTATES, a #define as above, has rows MH_FEATURE and g_afterstates(state, all, seen,
 *        context): what is left after each action of head.seat that is worth considering, or with `all` after each legal one.
 *        It calls seen(context, action, features, value). `features`, a struct g_features of numbers of about 0 to 1, is
 *        what the seat knows once it has played that, before anything new is drawn or shown; it follows from what the
 *        seat may know, as C23 says. Where what the action brings is certain, as with a declaration, `features` is NULL,
 *        and `value` is what the seat will earn by it to the end of the round, in the unit of the reward. Where the seat
 *        itself continues, say with a discard after a claim, an action is seen once for each way worth considering: it
 *        is worth the best of them. At least one action is seen; the same one again only at once. Results are the same
 *        on every machine.
 *   C44  A game with MH_HAS_NETS, and C43, comes with nets: files envs/<game>/nets/*.net, of which the first one by name
 *        plays that was trained for the options. A row MH_NET_BOT, the last of the bots, has its meaning; where none was
 *        trained for the options, there is no such bot.
 *
 * States from JSON
 *   C45  A game with MH_HAS_READ, a #define as above, has g_read(state, in): the state whose JSON that is, in zeroed
 *        memory with options, generator, rounds and events, and head.seat as far as it is given: where a round is over,
 *        mh_head_end_round says what it is. It reads with mh_read.h what does not follow from other keys. A key that was
 *        left out stands for what is usual there, which RULES.md says, or is refused by name. The runtime adds rewards
 *        and asks g_check; Python compares what was given with what the state exports.
 *
 * Games of which only the end is rewarded
 *   C46  A game with MH_HAS_SURROGATE, a #define as above, has g_surrogate(options): where only the end of a game is
 *        rewarded, it changes the reward to one that every round pays and that brings seats nearer to winning the game,
 *        and returns 1; else it returns 0. The other options stay, and are accepted with it. Search plays for that
 *        reward. Without: its play-outs last to the end of the game, which takes long and shows little. With
 *        MH_HAS_SURROGATE_FOR_NETS, nets that were trained for that reward also play such games. Without, they refuse them:
 *        where a place counts, what a seat earns says too little.
 *
 * What can come of an episode
 *   C47  g_bounds(options, bounds) says what a seat can earn in an episode under these options, at least and at most, in
 *        the unit of the reward; what the seats earn together, where that is always the same, else NAN; and how many
 *        actions an episode can have, 0 where there is no end to them. No play goes beyond, and on the way what a seat
 *        has earned lies between them, or between them and 0; where that is not plain, a comment proves it.
 *
 * Questions that others must not notice
 *   C48  A game in which cards decide whether a seat is asked has MH_HAS_SECRET_QUESTIONS, a #define as above, and
 *        g_is_settled(state): 0 where in some other world with the same public events the seat to act is not asked. From
 *        a settled state all such worlds look the same to all but the seat to act: each has come to this question. Deals
 *        and ends of rounds are settled. An action that in one world leads to a state that is not settled leads to such
 *        a state or to another seat in all of them. Spectators, and seats that are not asked, are shown the last settled
 *        state. Without: all are settled.
 *
 * Words
 *   C49  A game with MH_HAS_WORDS (C37) says in sentences what is seen of a table. Words are made from a
 *        struct g_shown, which is an observation with what the caller gave beside it (struct mh_viewer), and from nothing
 *        else: equal input gives equal bytes.
 *        g_check_shown(shown, message) refuses what the other two could not read safely: seats that do not sit there,
 *        counts beyond what there are cards for, numbers beside it that cannot be. The runtime has compared each field
 *        with its `high` and each event with g_event_fits before. It accepts every observation that play leads to.
 *        g_words(shown, part, number, out) writes one part, enum mh_words_part, as whole lines, by the writers of
 *        mh_words.h: heading, limits, a seat, piles, result, status. A part without anything to say is empty. Together
 *        with events and moves they say everything that the observation says: tests read them back and find every field,
 *        but for what follows from others. Sentences are plain English: a subject, then its verb. What is hidden
 *        (shown->hidden) is said where it is given, in the same places. MH_WORDS_MOVE is written for actions whose text
 *        has a number that people would have to look up.
 *        g_say_event(seat, kind, detail, extra, out) says an event in a sentence without a line's end.
 *
 * Pictures
 *   C50  A game with MH_HAS_PICTURE, a #define as above, and C49, draws a table. g_picture(shown, scene) adds shapes to an
 *        empty scene of scene->form, by the functions of csrc/draw/draw.h, from what C49 makes words of, and says what
 *        is to be read in the same words. Places are shares of boxes: a game measures nothing in pixels but the heights
 *        of boxes. A card says where it lies, whose it is, and with shown->table->viewer->mask what touching it plays,
 *        if that is one action. The enum constant SPRITES is the number of sprites that the game places, and
 *        g_sprite_text(sprite, text) writes the names that they have in the files of art (csrc/draw/README.md), as
 *        g_action_text does. The first one, 0, is the back. The form MH_SHARE shows how an episode ended, by
 *        mh_share_draw of csrc/draw/share.h, with no card that nobody has laid or declared. g_move_cards(shown, action,
 *        cards) lists the cards that an action is about, MH_MOVE_CARDS at most, in the order of its text, and returns
 *        how many. Without: cards in rows by the fields that have them (C4), and all else in words
 *        (csrc/draw/generic.c). Cards of a field lie in the zone that its name begins with: hand, drawn, meld, discard,
 *        offer, pile, draw or deck. Those of other fields count as melds of their seat, or as a pile of the table.
 */
