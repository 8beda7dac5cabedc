// A table in a notebook: the page of a table in a frame, and what goes between it and the kernel.
// The frame keeps names, styles and keys of the table to itself, and those of the notebook out.

const PATIENCE = 5000; // milliseconds
const SILENT = "The kernel does not answer: it is busy, or was started anew. Then run the cell again.";

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = `${model.get("hello").title}: a table`;
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 0;`;
  frame.srcdoc = model.get("page");
  let port = null;
  let given = new Set(); // sprites that the page has
  let turn = 0; // the timer of what happens by itself
  let patience = 0; // the timer of the kernel's answer

  // Whenever the frame is loaded, also anew: it gets a line, and on it all that there is.
  frame.addEventListener("load", () => {
    const line = new MessageChannel();
    port = line.port1;
    port.onmessage = ({ data }) => ask(data);
    frame.contentWindow.postMessage(null, "*", [line.port2]);
    given = new Set();
    port.postMessage(model.get("hello"));
    show();
    send({ do: "wait" });
  });

  function ask(request) {
    clearTimeout(patience);
    patience = setTimeout(complain, PATIENCE);
    send(request);
  }

  function send(request) {
    try {
      model.send(request);
    } catch {
      complain(); // the notebook knows that there is no kernel any more
    }
  }

  function complain() {
    port.postMessage({ kind: "error", text: SILENT });
  }

  function show() {
    const view = model.get("view");
    const sprites = Object.entries(model.get("sprites")).filter(([name]) => !given.has(name));
    for (const [name] of sprites) given.add(name);
    const picture = { ...view.frame, sprites: Object.fromEntries(sprites) };
    port?.postMessage({ ...view, frame: picture });
  }

  function hear(message) {
    clearTimeout(patience);
    if (message.kind !== "due") {
      port?.postMessage(message);
      return;
    }
    clearTimeout(turn);
    if (message.seconds === null) return;
    turn = setTimeout(() => send({ do: "tick" }), 1000 * message.seconds);
  }

  model.on("change:view", show);
  model.on("msg:custom", hear);
  el.append(frame);
  return () => {
    model.off("change:view", show);
    model.off("msg:custom", hear);
    clearTimeout(turn);
    clearTimeout(patience);
  };
}

export default { render };
