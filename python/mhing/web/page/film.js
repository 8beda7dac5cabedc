// Films as mhing.web.replay packs them: unpacked, and painted as SVG.

const COSTLY = "costly move";

// The content of a page: base64 of JSON that zlib has compressed.
export async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const packed = new Blob([bytes]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("deflate"))).json();
}

// Puts an empty picture into a place, with all sprites, and returns what shows a frame in it.
export function painter(place, content) {
  const { width, height, fonts } = content;
  place.innerHTML =
    `<svg viewBox="0 0 ${width} ${height}" font-family="${fonts}" aria-hidden="true">` +
    `<defs>${content.sprites.join("")}</defs><g></g></svg>`;
  const canvas = place.querySelector("svg > g");
  return (frame) => {
    canvas.innerHTML = frame.elements.map((number) => content.elements[number]).join("");
    place.setAttribute("aria-label", frame.title);
  };
}

// Who sees a film, in words.
export function viewer(film, players) {
  return film.seat === null ? "all cards open" : `seat ${film.seat}, ${players[film.seat]}`;
}

// What happens after the first frame: the costly moves, then the public events, the rarest first.
export function kinds(film) {
  const counts = new Map();
  for (const kind of film.frames.slice(1).flatMap((frame) => frame.kinds)) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const events = [...counts.keys()].sort((one, other) => counts.get(one) - counts.get(other));
  return film.frames.some((frame) => frame.costly) ? [COSTLY, ...events] : events;
}

export function shows(frame, kind) {
  return kind === COSTLY ? frame.costly : frame.kinds.includes(kind);
}

// The frame that shows of another film what this frame shows of its own: as far in the events.
export function sameMoment(film, place, other) {
  const wanted = film.frames.slice(0, place + 1).reduce((sum, frame) => sum + frame.kinds.length, 0);
  let sum = 0;
  return other.frames.findIndex((frame) => (sum += frame.kinds.length) >= wanted);
}
