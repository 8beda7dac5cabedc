// Elements of pages. Words are text, never HTML: names and messages may come from strangers.

const SVG = "http://www.w3.org/2000/svg";

// make("button", { class: "move", onclick: pass }, "pass"): an element with attributes and content.
export function make(tag, attributes, ...content) {
  return dress(document.createElement(tag), attributes, ...content);
}

// The same of a picture.
export function shape(tag, attributes, ...content) {
  return dress(document.createElementNS(SVG, tag), attributes, ...content);
}

// Gives an element attributes, except where a value is false, null or undefined, and more content.
export function dress(element, attributes, ...content) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value instanceof Function) element[name] = value;
    else if ((value ?? false) !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...content);
  return element;
}

export function find(selector) {
  return document.querySelector(selector);
}

export function all(selector, root = document) {
  return [...root.querySelectorAll(selector)];
}

// The cards of a seat's hand in a picture, in the order in which they lie.
export function hand(canvas, seat) {
  return all(`[data-seat="${seat}"]:is([data-zone="hand"], [data-zone="drawn"])`, canvas);
}

// Gives a select its choices: values, or pairs of a value and of words. It keeps its value if none
// is given.
export function fill(select, choices, chosen = select[0] && select.value) {
  const pairs = choices.map((one) => [one].flat());
  select.replaceChildren(...pairs.map(([value, words = value]) => make("option", { value }, words)));
  if (pairs.some(([value]) => String(value) === String(chosen))) select.value = chosen;
}

// The numbers from one to another.
export function numbers(low, high) {
  return Array.from({ length: high - low + 1 }, (_, n) => low + n);
}

// Shows text only if it is not there already, so that screen readers do not say it again.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
