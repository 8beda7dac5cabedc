// The rules of a game, written in Markdown, as elements: headings, paragraphs, lists, tables, code.

import { make } from "./dom.js";

export function markdown(text) {
  const blocks = [];
  const lines = text.split("\n");
  while (lines.length) {
    const line = lines.shift();
    const heading = /^(#+) (.*)/.exec(line);
    if (heading) {
      blocks.push(make(`h${Math.min(heading[1].length + 1, 6)}`, {}, ...inline(heading[2])));
    } else if (line.startsWith("```")) {
      const code = [];
      while (lines.length && !lines[0].startsWith("```")) code.push(lines.shift());
      lines.shift();
      blocks.push(make("pre", {}, code.join("\n")));
    } else if (line.startsWith("|")) {
      const rows = [line, ...take(lines, (one) => one.startsWith("|"))];
      blocks.push(table(rows));
    } else if (/^[-*] /.test(line)) {
      const items = [line, ...take(lines, (one) => one.trim() && !one.startsWith("#"))];
      blocks.push(list(items));
    } else if (line.trim()) {
      const words = [line, ...take(lines, (one) => one.trim() && !/^(#|\||```|[-*] )/.test(one))];
      blocks.push(make("p", {}, ...inline(words.join(" "))));
    }
  }
  return blocks;
}

function take(lines, belongs) {
  const taken = [];
  while (lines.length && belongs(lines[0])) taken.push(lines.shift());
  return taken;
}

function table(rows) {
  const cells = rows.filter((row) => !/^[|\s:-]+$/.test(row)).map((row) => row.split("|").slice(1, -1));
  return make("table", {}, ...cells.map((row, place) =>
    make("tr", {}, ...row.map((cell) => make(place ? "td" : "th", {}, ...inline(cell.trim()))))));
}

function list(lines) {
  const items = [];
  for (const line of lines) {
    if (/^[-*] /.test(line) || !items.length) items.push(line.replace(/^[-*] /, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return make("ul", {}, ...items.map((item) => make("li", {}, ...inline(item))));
}

// Bold, emphasis and code; of links the words.
function inline(text) {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return plain.split(/(\*\*[^*]+\*\*|`[^`]+`|\*[^*\s][^*]*\*)/).map((part) => {
    if (part.startsWith("**")) return make("strong", {}, part.slice(2, -2));
    if (part.startsWith("`") && part.length > 1) return make("code", {}, part.slice(1, -1));
    if (part.startsWith("*") && part.length > 2) return make("em", {}, part.slice(1, -1));
    return part;
  });
}
