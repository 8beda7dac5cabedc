// The start of a page that holds a recorded game.

import { Replay } from "./replay.js";

export function start(content) {
  new Replay(document.body, content);
}
