// Elements of pages. Words are text, never HTML: names and messages may come from strangers.

const SVG = "http://www.w3.org/2000/svg";

// make("button", { class: "move", "data-key": "p" }, "pass"): an element with attributes and content.
export function make(tag, attributes, ...content) {
  return dressed(document.createElement(tag), attributes, content);
}

// The same of a picture.
export function shape(tag, attributes, ...content) {
  return dressed(document.createElementNS(SVG, tag), attributes, content);
}

function dressed(element, attributes = {}, content = []) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...content);
  return element;
}

export function find(selector) {
  return document.querySelector(selector);
}

// Gives a select its choices: pairs of a value and of words. It keeps its value if none is given.
export function fill(select, pairs, chosen = select[0] && select.value) {
  select.replaceChildren(...pairs.map(([value, words]) => make("option", { value }, words)));
  if (pairs.some(([value]) => String(value) === String(chosen))) select.value = chosen;
}

// Choices: the numbers from one to another.
export function numbers(low, high) {
  return Array.from({ length: high - low + 1 }, (_, n) => [low + n, low + n]);
}

// Shows text only if it is not there already, so that screen readers do not say it again.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
