"""Games in a browser.

- :mod:`mhing.web.session`: what a page shows and asks, as messages; no sockets.
- :mod:`mhing.web.play`: a game on this machine, against bots or between bots.
- :mod:`mhing.web.at_server`: a table of a server, watched or played at; :mod:`mhing.web.courier`
  speaks with the server in a thread, and hands over :mod:`mhing.web.updates`.
- :mod:`mhing.web.app`: pages and lines; :mod:`mhing.web.guard`: who may speak to it.
- :mod:`mhing.web.film`: what each viewer sees of a recorded game, frame by frame.
- :mod:`mhing.web.judged`: what a bot says of the decisions in films.
- :mod:`mhing.web.replay`: films as one page that needs nothing else; :mod:`mhing.web.index`: what
  links to many of them.
- :mod:`mhing.web.review`: the same in the application, judged as it comes, and played on.
- :mod:`mhing.web.widget`: the page of a table in a notebook's cell.
- :mod:`mhing.web.inline`: how a page holds its modules where it can load no files.
- ``page/``: modules in JavaScript, styles, frames in HTML; as they are, without a build.

A picture goes one way: state or view -> :func:`mhing.render.scene` -> rows -> message ->
page. A page holds no game: it shows each message whole, and asks for moves by their numbers. So a
page that was loaded again, or missed a message, is right as soon as it hears the next one.

Starlette has the routes, uvicorn speaks HTTP, websockets the lines: together they are a fifth of
the size of the next smaller choice, and start in a quarter of a second.
"""
