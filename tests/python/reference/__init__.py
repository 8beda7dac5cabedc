"""An independent referee of Mhing: slow, plain Python, written from the rules alone.

It shares no code, no table and no method with the engine, so that the two can only agree by both
being right.

    cards      card types and melds, as numbers and as text
    scoring    the most credits that a complete hand can be worth, over every arrangement
    distance   how many cards a hand is away from complete, over every target
    referee    follows a game from `State.to_dict()` and says what must come next
"""
