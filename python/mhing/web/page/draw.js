// Nodes of rows, as the core's mh_scene_rows has them, and of trees. Nothing is parsed as HTML.

import { shape } from "./dom.js";

// The meaning of a row's values by its kind: most of them are attributes.
const KINDS = [
  "rect x y width height fill rx stroke stroke-width opacity",
  "circle cx cy r fill stroke stroke-width opacity",
  "text x y font-size fill text textLength text-anchor font-weight opacity",
  "use x y scale sprite zone card seat action opacity",
].map((kind) => kind.split(" "));

// The nodes of a picture, from the back to the front.
export function drawn(rows) {
  const seen = {}; // the number of the last card, by all else of its key
  return rows.map(([kind, ...values]) => {
    const [tag, ...names] = KINDS[kind];
    const its = Object.fromEntries(values.map((value, place) => [names[place], value]));
    return tag === "use" ? placed(its, seen) : painted(tag, its);
  });
}

// The element of a tree, [tag, attributes, ...content]: shape() or make() makes it.
export function grown([tag, attributes, ...content], create = shape) {
  return create(tag, attributes, ...content.map((one) => (typeof one === "string" ? one : grown(one, create))));
}

// Colours with a name are classes, which the style sheet of the page paints.
function painted(tag, { text = "", fill, stroke, ...its }) {
  const named = [["fill", fill], ["stroke", stroke]].filter(([, color]) => /^\w/.test(color ?? ""));
  const own = (color) => color?.[0] === "#" && color;
  return shape(tag, {
    ...its, class: named.map((one) => one.join("-")).join(" ") || null,
    fill: fill ? own(fill) : "none", stroke: own(stroke), lengthAdjust: its.textLength && "spacingAndGlyphs",
  }, text);
}

function placed({ x, y, scale, sprite, zone, card, seat, opacity }, seen) {
  const key = `${zone}.${seat ?? ""}.${card}`;
  if (zone) seen[key] = (seen[key] ?? -1) + 1;
  return shape("use", {
    href: `#${sprite}`, transform: `translate(${x} ${y})${scale === 1 ? "" : ` scale(${scale})`}`, opacity,
    ...(zone && { "data-card": card, "data-zone": zone, "data-seat": seat, "data-key": `${key}.${seen[key]}` }),
  });
}
