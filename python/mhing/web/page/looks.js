// The look of the table: a palette and colours of suits, kept by the browser where it lets us.

// True if the window suits the upright arrangement of pictures.
export const narrow = matchMedia("(max-width: 640px)");

const { dataset } = document.documentElement;

// Gives a page the looks that were chosen, on whichever page.
export function recalled() {
  try {
    for (const name of ["palette", "suits"]) dataset[name] = localStorage.getItem(name) ?? "";
  } catch {
    // A frame without storage has none.
  }
}

// The facts about the window that a session needs.
export function fitting() {
  return { shape: narrow.matches ? "portrait" : "wide" };
}

// Connects the two choices of a page with what it shows.
export function looks(palette, suits) {
  recalled();
  palette.value = dataset.palette ?? "";
  suits.checked = dataset.suits === "safe";
  palette.onchange = () => keep("palette", palette.value);
  suits.onchange = () => keep("suits", suits.checked ? "safe" : "");

  function keep(name, value) {
    dataset[name] = value;
    try {
      localStorage.setItem(name, value);
    } catch {
      // A frame without storage forgets it.
    }
  }
}
