"""A game on the whole terminal, instead of lines: ``mhing play`` on a terminal.

- :mod:`mhing.tui.app`: the application, on a :class:`mhing.web.play.PlaySession` as pages have it.
- :mod:`mhing.tui.moves`: the list of moves, which is typed into.
- :mod:`mhing.tui.pages`: what is shown over the table: rules, help, a question.
- :mod:`mhing.tui.words`: texts that lines and the application have in common.

All but the last need Textual, the extra ``tui``. It was chosen for its list, its footer, its mouse
and, above all, for its pilot, by which tests press keys without a terminal.
"""
