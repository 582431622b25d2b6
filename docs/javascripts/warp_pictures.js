// The two pictures of the explorer, in the form and the classes of cusimt/counters/pictures.py: what moves of global
// memory, and which bank of shared memory serves which lanes in which pass. Colour never tells anything alone: lanes
// have their numbers, what is idle is dashed, what is in vain or waits is hatched. Where the page is narrow, a row
// holds half as many words or banks, and text keeps its size.
const WarpPictures = (() => {
  "use strict";
  const WORD = 4; // bytes
  const CELL = 18, ROW = 26; // pixels
  const MOST_ROWS = 12;
  const WIDE = { cells: 32, left: 92, right: 16 }, NARROW = { cells: 16, left: 66, right: 4, kind: "narrow" };
  let page = WIDE; // how the pictures are laid out: cells of a row, pixels beside them
  const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  const escape = (text) => String(text).replace(/[&<>]/g, (sign) => escaped[sign]);

  const text = (x, y, label, kind) => `<text class="${kind}" x="${x}" y="${y}">${escape(label)}</text>`;
  const box = (x, y, width, kind) => `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${ROW - 6}" rx="3"/>`;
  const hatched = (x, y, width, name) =>
    box(x, y, width, "b") + `<rect x="${x}" y="${y}" width="${width}" height="${ROW - 6}" rx="3" fill="url(#${name}-hatch)"/>`;

  // The lane's number, "4+" where others get the same; `kind` "over": on hatching, which the label keeps at a distance.
  function laneLabel(x, y, lanes, kind = "") {
    const label = lanes.length > 1 ? `${lanes[0]}+` : String(lanes[0]);
    return text(x, y + 14, label, `middle mono ${label.length > 2 ? "tiny" : "small"} ${kind}`);
  }

  function frame(name, height, title, description, parts) {
    const width = page.left + page.cells * CELL + page.right;
    return `<svg class="fig ${page.kind ?? ""}" style="--drawn: ${width}px" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${name}-title ${name}-text">` +
      `<title id="${name}-title">${escape(title)}</title><desc id="${name}-text">${escape(description)}</desc>` +
      `<defs><pattern id="${name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
      `<line class="b" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>${parts.join("")}</svg>`;
  }

  // The key below a picture: what each kind of box means, side by side where there is room, and where it ends.
  function key(name, top, meanings) {
    let x = page.left, y = top;
    const drawn = meanings.map(([kind, meaning]) => {
      const item = (kind === "b" ? hatched(x, y, 20, name) : box(x, y, 20, kind)) + text(x + 26, y + 14, meaning, "small");
      if (page === NARROW) y += ROW; else x += 48 + meaning.length * 6.3;
      return item;
    });
    return [page === NARROW ? y : y + ROW + 4, drawn.join("")];
  }

  // The rows that are drawn, the sentence about the others, and the key; `top` is where the rows begin.
  function rowsAndKey(name, top, rows, unit, meanings, draw) {
    const shown = rows.slice(0, MOST_ROWS), more = rows.length - shown.length;
    const parts = shown.map((row, number) => draw(row, top + number * ROW, number));
    let y = top + shown.length * ROW + 4;
    if (more > 0) {
      parts.push(text(page.left, y + 10, `… and ${more} more ${unit}`, "small"));
      y += 20;
    }
    const [end, drawn] = key(name, y, meanings);
    return [end, [...parts, drawn]];
  }

  // ---- global memory ----

  // Stretches of `begin` to `end` that no access covers.
  function unasked(starts, size, begin, end) {
    const gaps = [];
    let position = begin;
    for (const start of starts.filter((each) => each + size > begin && each < end).sort((a, b) => a - b)) {
      if (start > position) gaps.push([position, start]);
      position = Math.max(position, start + size);
    }
    return position < end ? [...gaps, [position, end]] : gaps;
  }

  function lanesOfStarts(addresses) {
    const lanes = new Map();
    for (const { lane, address } of MemoryModel.active(addresses)) lanes.set(address, [...(lanes.get(address) ?? []), lane]);
    return lanes;
  }

  function sector(y, number, size, lanes, name) {
    const begin = number * MemoryModel.SECTOR, end = begin + MemoryModel.SECTOR;
    const across = (MemoryModel.SECTOR / WORD) * CELL - 4, scale = across / MemoryModel.SECTOR;
    const x = (byte) => page.left + ((begin / WORD) % page.cells) * CELL + (byte - begin) * scale;
    const parts = [box(x(begin), y, across, "hollow")], labels = []; // labels lie on top of all boxes
    for (const [first, last] of unasked([...lanes.keys()], size, begin, end)) {
      parts.push(hatched(x(first), y, (last - first) * scale, name));
    }
    for (const [start, takers] of lanes) {
      const first = Math.max(start, begin), last = Math.min(start + size, end);
      if (first >= last) continue;
      parts.push(box(x(first), y, (last - first) * scale, "a"));
      if (size < WORD && start % WORD !== 0) continue; // there is no room for the number of every half
      const middle = x(first) + (Math.max(last - first, WORD) * scale) / 2;
      labels.push(laneLabel(middle, y, takers, size < WORD ? "tiny over" : ""));
    }
    return [...parts, ...labels].join("");
  }

  // One row is a line of 128 bytes, four sectors, or half a line.
  function sectors(addresses, size, description) {
    const name = "explorer-sectors", moved = new Set(MemoryModel.sectorNumbers(addresses, size));
    const row = page.cells * WORD, perRow = row / MemoryModel.SECTOR;
    const lines = [...new Set([...moved].map((number) => Math.floor(number / perRow)))];
    const lanes = lanesOfStarts(addresses);
    const meanings = [["a", "requested by this lane, +: and by others"], ["b", "moves along, unused"], ["hollow dashed", "does not move"]];
    const [height, parts] = rowsAndKey(name, 8, lines, `rows of ${row} bytes`, meanings, (line, y) => {
      const drawn = Array.from({ length: perRow }, (_, index) => {
        const number = line * perRow + index;
        const x = page.left + (index * MemoryModel.SECTOR / WORD) * CELL;
        return moved.has(number) ? sector(y, number, size, lanes, name)
          : box(x, y, (MemoryModel.SECTOR / WORD) * CELL - 4, "hollow dashed");
      });
      return text(page.left - 8, y + 14, `byte ${line * row}`, "end small mono") + drawn.join("");
    });
    return frame(name, height, "Sectors of global memory", description, parts);
  }

  // ---- shared memory ----

  // One row is a pass over the 32 banks. A narrow page shows the first 16 banks of all passes, then the others.
  function banks(rows, description) {
    const name = "explorer-banks", half = page === NARROW;
    const meanings = [["a", "served to this lane, +: and to others"], ["b", "bank conflict"], ["hollow dashed", "idle bank"]];
    const parts = [];
    let top = 22, height = 0;
    for (let first = 0; first < MemoryModel.BANKS; first += page.cells) {
      const last = first + page.cells >= MemoryModel.BANKS;
      parts.push(text(page.left - 8, top - 8, "bank", "end small"), ...bankNumbers(first, top - 8));
      const [end, drawn] = rowsAndKey(name, top, rows, "passes", last ? meanings : [], ({ conflict, served }, y, number) =>
        text(page.left - 8, y + 14, `pass ${number + 1}`, "end small mono") + bankRow(first, y, conflict, served, name));
      parts.push(...drawn);
      height = end;
      top = end + (half ? 24 : 0);
    }
    return frame(name, height, "Banks of shared memory", description, parts);
  }

  const bankNumbers = (first, y) => Array.from({ length: page.cells }, (_, index) =>
    text(page.left + (index + 0.5) * CELL, y, first + index, "middle mono tiny"));

  function bankRow(first, y, conflict, served, name) {
    return Array.from({ length: page.cells }, (_, index) => {
      const x = page.left + index * CELL, word = served.get(first + index);
      if (!word) return box(x, y, CELL - 2, "hollow dashed");
      const drawn = conflict ? hatched(x, y, CELL - 2, name) : box(x, y, CELL - 2, "a");
      return drawn + laneLabel(x + CELL / 2 - 1, y, word.lanes, conflict ? "over" : "");
    }).join("");
  }

  const layOut = (narrow) => { page = narrow ? NARROW : WIDE; };

  return { sectors, banks, layOut };
})();
