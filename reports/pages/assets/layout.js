// How a strategy table is laid out, so that none of its columns lies beyond the edge of the screen.
"use strict";
const Layout = (() => {
  // From roomy to tight: with figures on reach and value at the right or without, the answer beside or below, small.
  const LEVELS = ["beside", "beside lean", "below", "below lean", "below lean narrow", "below lean narrow tight"];

  function fits(box) { return box.scrollWidth <= box.clientWidth; }

  // Cuts columns into bands of about the same number, none wider than there is room for.
  function bands(widths, room) {
    const packed = (most) => {
      const found = [[]];
      let used = 0;
      widths.forEach((width, place) => {
        const last = found[found.length - 1];
        if (last.length && (last.length >= most || used + width > room)) {
          found.push([place]);
          used = width;
        } else {
          last.push(place);
          used += width;
        }
      });
      return found;
    };
    const least = packed(Infinity).length;
    const even = packed(Math.ceil(widths.length / least));
    return even.length === least ? even : packed(Infinity);
  }

  // Draws columns into a box at the roomiest level at which they fit, and in bands one below the other where none does.
  // `draw` makes a table of the columns at some places.
  function fit(spot, box, count, draw) {
    const every = Array.from({ length: count }, (_, place) => place);
    for (const level of LEVELS) {
      spot.className = "spot " + level;
      box.replaceChildren(draw(every));
      if (fits(box)) return;
    }
    const [first, ...columns] = [...box.querySelectorAll("thead th")].map((head) => head.getBoundingClientRect().width);
    box.replaceChildren(...bands(columns.slice(0, count), box.clientWidth - first).map(draw));
  }

  // Calls `again` whenever an element has another width, and for paper, which has the width of A4 less its margins.
  function onWidth(element, again) {
    const paper = (width) => () => {
      document.body.style.width = width;
      again();
    };
    window.addEventListener("beforeprint", paper("186mm"));
    window.addEventListener("afterprint", paper(""));
    let width = element.clientWidth;
    new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      again();
    }).observe(element);
  }

  return { fit, onWidth };
})();
