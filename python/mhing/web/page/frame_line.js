// The line to a session whose messages come through the page around this one; it never needs mending.
// It stands in for line.js where a table is in a frame: see mhing.web.widget.

// Calls hear[kind](message) for each message, and mark("open") when the page around has answered; it
// is sent the shape that first() returns.
export function open(first, mark, hear) {
  let port = null;
  addEventListener("message", (event) => {
    if (event.source !== window.parent || event.ports.length !== 1) return;
    port = event.ports[0];
    port.onmessage = ({ data }) => hear[data.kind](data);
    port.postMessage({ do: "shape", ...first() });
    mark("open");
  });
  return {
    send: (request) => {
      port?.postMessage(request);
      return port !== null;
    },
    again: () => {},
  };
}
