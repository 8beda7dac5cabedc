// How the table looks: a palette and colours of suits, kept by the browser where it lets us.

// Whether the window is one for the upright arrangement of pictures.
export const narrow = matchMedia("(max-width: 640px)");
const KEPT = ["palette", "suits"];

const root = document.documentElement;

// Gives a page the looks that were chosen, on whichever page.
export function recalled() {
  for (const name of KEPT) {
    const value = recall(name);
    if (value) root.dataset[name] = value;
  }
}

// What a session must know of the window.
export function fitting() {
  return { shape: narrow.matches ? "portrait" : "wide" };
}

// Connects the two choices of a page with what it shows.
export function looks(palette, suits) {
  recalled();
  palette.value = root.dataset.palette ?? "";
  suits.checked = root.dataset.suits === "safe";
  palette.addEventListener("change", () => keep("palette", palette.value));
  suits.addEventListener("change", () => keep("suits", suits.checked ? "safe" : ""));

  function keep(name, value) {
    if (value) root.dataset[name] = value;
    else delete root.dataset[name];
    try {
      localStorage.setItem(name, value);
    } catch {
      // A frame without storage forgets it.
    }
  }
}

function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
