// The two pictures of the explorer, in the form and the classes of grader/simt/pictures.py: what moves of global
// memory, and which bank of shared memory serves which lanes in which pass. Colour never tells anything alone: lanes
// have their numbers, what is idle is dashed, what is in vain or waits is hatched.
const WarpPictures = (() => {
  "use strict";
  const LINE = 128, WORD = 4; // bytes
  const LEFT = 92, CELL = 18, ROW = 26, WIDTH = LEFT + 32 * CELL + 16; // pixels
  const MOST_ROWS = 12;
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
    return `<svg class="fig" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${name}-title ${name}-text">` +
      `<title id="${name}-title">${escape(title)}</title><desc id="${name}-text">${escape(description)}</desc>` +
      `<defs><pattern id="${name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
      `<line class="b" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>${parts.join("")}</svg>`;
  }

  // The key below a picture: what each kind of box means.
  function key(name, y, meanings) {
    let x = LEFT;
    return meanings.map(([kind, meaning]) => {
      const drawn = (kind === "b" ? hatched(x, y, 20, name) : box(x, y, 20, kind)) + text(x + 26, y + 14, meaning, "small");
      x += 44 + meaning.length * 5.6;
      return drawn;
    }).join("");
  }

  // The rows that are drawn, the sentence about the others, and the key; `top` is where the rows begin.
  function rowsAndKey(name, top, rows, unit, meanings, draw) {
    const shown = rows.slice(0, MOST_ROWS), more = rows.length - shown.length;
    const parts = shown.map((row, number) => draw(row, top + number * ROW, number));
    let y = top + shown.length * ROW + 4;
    if (more > 0) {
      parts.push(text(LEFT, y + 10, `… and ${more} more ${unit}`, "small"));
      y += 20;
    }
    return [y + 30, [...parts, key(name, y, meanings)]];
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
    const x = (byte) => LEFT + ((begin % LINE) / WORD) * CELL + (byte - begin) * scale;
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

  // One row is a line of 128 bytes, four sectors.
  function sectors(addresses, size, description) {
    const name = "explorer-sectors", moved = new Set(MemoryModel.sectorNumbers(addresses, size));
    const lines = [...new Set([...moved].map((number) => Math.floor((number * MemoryModel.SECTOR) / LINE)))];
    const lanes = lanesOfStarts(addresses), perLine = LINE / MemoryModel.SECTOR;
    const meanings = [["a", "asked for by this lane, +: and by others"], ["b", "moves but was not requested"], ["hollow dashed", "does not move"]];
    const [height, parts] = rowsAndKey(name, 8, lines, "lines of 128 bytes", meanings, (line, y) => {
      const drawn = Array.from({ length: perLine }, (_, index) => {
        const number = line * perLine + index;
        const x = LEFT + (index * MemoryModel.SECTOR / WORD) * CELL;
        return moved.has(number) ? sector(y, number, size, lanes, name)
          : box(x, y, (MemoryModel.SECTOR / WORD) * CELL - 4, "hollow dashed");
      });
      return text(LEFT - 8, y + 14, `byte ${line * LINE}`, "end small mono") + drawn.join("");
    });
    return frame(name, height, "Sectors of global memory", description, parts);
  }

  // ---- shared memory ----

  // One row is a pass over the 32 banks.
  function banks(rows, description) {
    const name = "explorer-banks";
    const head = Array.from({ length: MemoryModel.BANKS }, (_, bank) =>
      text(LEFT + (bank + 0.5) * CELL, 14, bank, "middle mono tiny"));
    const meanings = [["a", "served to this lane, +: and to others"], ["b", "bank conflict"], ["hollow dashed", "idle bank"]];
    const [height, parts] = rowsAndKey(name, 22, rows, "passes", meanings, ({ conflict, served }, y, number) => {
      const cells = Array.from({ length: MemoryModel.BANKS }, (_, bank) => {
        const x = LEFT + bank * CELL, word = served.get(bank);
        if (!word) return box(x, y, CELL - 2, "hollow dashed");
        const drawn = conflict ? hatched(x, y, CELL - 2, name) : box(x, y, CELL - 2, "a");
        return drawn + laneLabel(x + CELL / 2 - 1, y, word.lanes, conflict ? "over" : "");
      });
      return text(LEFT - 8, y + 14, `pass ${number + 1}`, "end small mono") + cells.join("");
    });
    return frame(name, height, "Banks of shared memory", description,
      [text(LEFT - 8, 14, "bank", "end small"), ...head, ...parts]);
  }

  return { sectors, banks };
})();
