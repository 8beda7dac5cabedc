"""A page that shows widgets as a notebook does, without Jupyter: models that ask widgets here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import FrameLocator, Page

from mhing.web.widget import TableWidget

_STUB = """
async ([code, states]) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  let answered = 0;
  const models = states.map((state, number) => {
    const heard = {};
    const fire = (name, content) => (heard[name] ?? []).forEach((hear) => hear(content));
    return {
      get: (name) => state[name],
      on: (name, hear) => (heard[name] ??= []).push(hear),
      off: (name, hear) => (heard[name] = heard[name].filter((one) => one !== hear)),
      send: (request) => {
        if (window.kernelIsGone) throw new Error("Cannot send");
        document.body.dataset.asked = `${document.body.dataset.asked ?? ""} ${request.do}`;
        window.ask(number, request).then(take);
      },
    };
    function take(answer) {
      if (answer === null) return;
      const changed = JSON.stringify(state.view) !== JSON.stringify(answer.state.view);
      Object.assign(state, answer.state);
      if (changed) fire("change:view");
      for (const message of answer.messages) fire("msg:custom", message);
      document.body.dataset.answered = ++answered;
    }
  });
  window.show = async (number) => {
    const el = document.body.appendChild(document.createElement("div"));
    const end = await widget.render({ model: models[number], el });
    return () => (end(), el.remove());
  };
}
"""


class Notebook:
    """Widgets on a page; `alive` False: the kernel answers no longer."""

    def __init__(self, page: Page, widgets: Sequence[TableWidget]) -> None:
        self.page, self.widgets, self.alive = page, widgets, True
        self.heard: list[Any] = []  # what the pages have asked
        self.sent: list[list[Any]] = [[] for _ in widgets]
        for widget, sent in zip(widgets, self.sent, strict=True):
            widget.send = sent.append  # type: ignore[method-assign]
        page.expose_function("ask", self._ask)
        page.goto("about:blank")
        page.evaluate(_STUB, [widgets[0]._esm, [widget.get_state() for widget in widgets]])

    def _ask(self, number: int, request: Any) -> Any:
        if not self.alive:
            return None
        self.heard.append(request)
        self.sent[number].clear()
        self.widgets[number]._handle_custom_msg(request, [])
        state = {name: self.widgets[number].get_state()[name] for name in ("view", "sprites")}
        return {"state": state, "messages": [*self.sent[number]]}

    def wait(self, answered: int) -> None:
        """Until so many requests have been answered."""
        self.page.locator(f"body[data-answered='{answered}']").wait_for(state="attached")

    def wait_for_request(self, do: str) -> None:
        """Until a request of a kind has been sent, whether or not it will be answered."""
        self.page.locator(f"body[data-asked~='{do}']").wait_for(state="attached")

    def show(self, number: int) -> FrameLocator:
        """Shows a widget, below the others; the page in its frame."""
        self.page.evaluate("async (number) => { await window.show(number); }", number)
        frame = self.page.frame_locator("iframe").nth(self.page.locator("iframe").count() - 1)
        frame.locator("html[data-line=open]").wait_for(state="attached")
        return frame
