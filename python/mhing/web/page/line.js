// The line to the session. It is taken up again when it was cut, but not when another page has it.

const MOVED = 4001;
const GONE = 4004;
const FIRST_WAIT = 250; // milliseconds, doubled up to the longest
const LONGEST_WAIT = 4000;

// Calls hear(message) for each message, and mark(state) with "open", "cut", "moved" or "gone". What
// first() returns, such as { shape }, is known to the session before its first view.
export function open(first, hear, mark) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const address = `${scheme}//${location.host}${location.pathname}/line`;
  let socket = null;
  let wait = FIRST_WAIT;

  function connect() {
    socket = new WebSocket(`${address}?${new URLSearchParams(first())}`);
    socket.addEventListener("open", () => {
      wait = FIRST_WAIT;
      mark("open");
    });
    socket.addEventListener("message", (event) => hear(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      if (event.code === MOVED) mark("moved");
      else if (event.code === GONE) mark("gone");
      else {
        mark("cut");
        setTimeout(connect, wait);
        wait = Math.min(2 * wait, LONGEST_WAIT);
      }
    });
  }

  connect();
  return {
    send: (request) => {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(request));
      return true;
    },
    again: connect,
  };
}
