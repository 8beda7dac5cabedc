// The line to the session. It is taken up again when it was cut, but not when another page has it.

const ENDS = { 4001: "moved", 4004: "gone" }; // why the session has closed it
const FIRST_WAIT = 250; // milliseconds, doubled up to the longest
const LONGEST_WAIT = 4000;

// Calls hear[kind](message) for each message, and mark(state) with "open", "cut", "moved" or "gone".
// The session gets the result of first(), such as { shape }, before its first view.
export function open(first, mark, hear) {
  const address = `${location.origin.replace("http", "ws")}${location.pathname}/line`;
  let socket = null;
  let wait = FIRST_WAIT;

  function connect() {
    socket = new WebSocket(`${address}?${new URLSearchParams(first())}`);
    socket.onopen = () => {
      wait = FIRST_WAIT;
      mark("open");
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      hear[message.kind](message);
    };
    socket.onclose = ({ code }) => {
      mark(ENDS[code] ?? "cut");
      if (code in ENDS) return;
      setTimeout(connect, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
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
