"""Games in a browser.

- :mod:`mhing.web.film`: what each viewer sees of a recorded game, frame by frame.
- :mod:`mhing.web.replay`: films as one page that needs nothing else.
- ``page/``: its modules in JavaScript, its style, its frame in HTML; as they are, without a build.
"""
