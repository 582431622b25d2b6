// The page "Coalescing and bank conflicts": from the form to the pattern, and from the pattern to numbers, sentences
// and pictures. The page's address follows the form, so that a setting can be linked: explorer/?shape=column&padding=1
(() => {
  "use strict";
  const SPOKEN_AFTER = 400; // ms without a change, so that a screen reader is not talked over by every step

  const form = document.getElementById("explorer-form");
  if (!form) return; // another page
  const part = (name) => document.getElementById(`explorer-${name}`);
  const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

  // Every number that is shown, from the pattern alone.
  function measured(pattern) {
    const addresses = WarpPattern.addresses(pattern), { size, access } = pattern;
    const rows = MemoryModel.passes(addresses, size, access);
    const sectors = MemoryModel.sectorNumbers(addresses, size).length, wanted = MemoryModel.distinctBytes(addresses, size);
    const moved = sectors * MemoryModel.SECTOR, ideal = MemoryModel.phases(addresses, size, access).length;
    return {
      addresses, rows,
      shown: {
        active: MemoryModel.active(addresses).length, wanted, sectors,
        "ideal-sectors": MemoryModel.idealSectors(addresses, size), moved, efficiency: Math.round((1000 * wanted) / moved) / 10,
        wavefronts: rows.length, "ideal-wavefronts": ideal, conflicts: rows.length - ideal,
      },
    };
  }

  function ofGlobal(shown) {
    const spare = shown.moved - shown.wanted;
    return `Global memory: ${counted(shown.active, "lane requests", "lanes request")} ${counted(shown.wanted, "byte")}. ` +
      `${counted(shown.sectors, "sector")} of 32 bytes ${shown.sectors === 1 ? "moves" : "move"}, the fewest possible ` +
      `${shown["ideal-sectors"] === 1 ? "is" : "are"} ${shown["ideal-sectors"]}; ` +
      `${counted(spare, "byte moves", "bytes move")} unrequested.`;
  }

  function ofShared(shown, rows) {
    const banks = new Set(rows.flatMap(({ served }) => [...served.keys()])).size;
    return `Shared memory: ${counted(banks, "bank serves", "banks serve")} these lanes in ` +
      `${counted(shown.wavefronts, "wavefront")}, the fewest possible ${shown["ideal-wavefronts"] === 1 ? "is" : "are"} ` +
      `${shown["ideal-wavefronts"]}; ${shown.conflicts ? counted(shown.conflicts, "bank conflict") : "no bank conflict"}.`;
  }

  let timer;
  function announce(sentence) {
    clearTimeout(timer);
    timer = setTimeout(() => { part("spoken").textContent = sentence; }, SPOKEN_AFTER);
  }

  function show(pattern) {
    const { addresses, rows, shown } = measured(pattern);
    for (const [name, value] of Object.entries(shown)) part(name).textContent = value;
    part("efficiency-bar").value = shown.efficiency;
    part("source").textContent = WarpPattern.source(pattern);
    const sentences = [ofGlobal(shown), ofShared(shown, rows)];
    part("global").innerHTML = WarpPictures.sectors(addresses, pattern.size, sentences[0]);
    part("shared").innerHTML = WarpPictures.banks(rows, sentences[1]);
    announce(sentences.join(" "));
  }

  // ---- the form ----

  function fill(pattern) {
    for (const [name, value] of Object.entries(pattern)) if (form.elements[name]) form.elements[name].value = value;
  }

  // Fields that the shape does not use are disabled, not hidden, so that nothing moves.
  function fit(pattern) {
    form.elements.stride.disabled = pattern.shape !== "line";
    form.elements.width.disabled = form.elements.padding.disabled = pattern.shape === "line";
  }

  function apply(pattern) {
    fit(pattern);
    show(pattern);
    const query = new URLSearchParams(pattern).toString();
    if (location.search !== `?${query}`) {
      try { history.replaceState(null, "", `?${query}`); } catch { /* a page opened from a file may not change its address */ }
    }
  }

  function current() { // a disabled field is not part of the form's answer, but keeps its value
    const pattern = {};
    for (const { name, value } of form.elements) if (name) pattern[name] = value;
    return WarpPattern.checked(pattern);
  }

  const narrow = matchMedia("(max-width: 44em)"); // as in course.css
  WarpPictures.layOut(narrow.matches);
  narrow.addEventListener("change", () => {
    WarpPictures.layOut(narrow.matches);
    show(current());
  });
  form.addEventListener("input", () => apply(current()));
  form.addEventListener("change", () => fill(current())); // what was typed beyond a limit becomes the limit
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const button of document.querySelectorAll("[data-explorer]")) {
    button.addEventListener("click", () => {
      const pattern = WarpPattern.checked(Object.fromEntries(new URLSearchParams(button.dataset.explorer)));
      fill(pattern);
      apply(pattern);
    });
  }
  const linked = WarpPattern.checked(Object.fromEntries(new URLSearchParams(location.search)));
  fill(linked);
  apply(linked);
})();
