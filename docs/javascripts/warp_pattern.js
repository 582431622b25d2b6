// What the form of the explorer means: which address each lane of a warp asks for, and the line of CUDA that asks.
//
// A pattern is a plain object, also the query of the page's address:
//   shape   "line": x[offset + stride * lane];  "row", "column", "swizzled": a tile with `width` columns, rows of
//           width + padding elements, of which a block of `width` threads per row reads one element each
//   size    bytes of an element;  offset  elements before lane 0's, or before the tile
//   lanes   how many take part, from lane 0 on, every `step`-th of them;  access  "load" or "store"
const WarpPattern = (() => {
  "use strict";
  const WARP = 32;
  const LIMITS = { // least, most, default
    size: [1, 16, 4], stride: [-64, 64, 1], offset: [0, 64, 0], width: [8, 64, 32], padding: [0, 32, 0],
    lanes: [1, WARP, WARP], step: [1, 16, 1],
  };
  const CHOICES = { shape: ["line", "row", "column", "swizzled"], access: ["load", "store"], size: [1, 2, 4, 8, 16] };
  const TYPES = { 1: "uint8_t", 2: "__half", 4: "float", 8: "double", 16: "float4" };

  // A pattern of which every value is allowed, whatever was typed or linked.
  function checked(raw) {
    const pattern = { shape: CHOICES.shape.includes(raw.shape) ? raw.shape : "line" };
    pattern.access = CHOICES.access.includes(raw.access) ? raw.access : "load";
    for (const [name, [least, most, usual]] of Object.entries(LIMITS)) {
      const number = Math.round(Number(raw[name] ?? usual));
      pattern[name] = Number.isFinite(number) ? Math.min(Math.max(number, least), most) : usual;
    }
    if (!CHOICES.size.includes(pattern.size)) pattern.size = LIMITS.size[2];
    if (pattern.shape === "swizzled") pattern.width = 2 ** Math.floor(Math.log2(pattern.width)); // x ^ y stays within a row
    return pattern;
  }

  // The element of lane `lane`. A negative stride walks down, and ends where the positive one would begin.
  function element({ shape, stride, offset, width, padding }, lane) {
    if (shape === "line") return offset + (stride < 0 ? stride * (lane - WARP + 1) : stride * lane);
    const x = lane % width, y = Math.floor(lane / width), pitch = width + padding;
    if (shape === "row") return offset + y * pitch + x;
    if (shape === "column") return offset + x * pitch + y;
    return offset + x * pitch + (x ^ y);
  }

  // The byte address of each lane, null where it takes no part.
  const addresses = (pattern) =>
    Array.from({ length: WARP }, (_, lane) =>
      lane < pattern.lanes && lane % pattern.step === 0 ? element(pattern, lane) * pattern.size : null);

  const ELEMENTS = { row: "tile[y][x]", column: "tile[x][y]", swizzled: "tile[x][x ^ y]" };

  function place({ shape, stride, offset }) {
    if (shape !== "line") return ELEMENTS[shape];
    const start = stride < 0 ? offset - stride * (WARP - 1) : offset;
    const walk = stride === 0 ? "" : Math.abs(stride) === 1 ? "lane" : `${Math.abs(stride)} * lane`;
    if (!walk) return `x[${start}]`;
    return stride < 0 ? `x[${start} - ${walk}]` : `x[${start ? `${start} + ` : ""}${walk}]`;
  }

  function guard({ lanes, step }) {
    const parts = [];
    if (lanes < WARP) parts.push(`lane < ${lanes}`);
    if (step > 1) parts.push(`lane % ${step} == 0`);
    return parts.length ? `if (${parts.join(" && ")}) ` : "";
  }

  function tile({ shape, size, width, padding, offset }) {
    if (shape === "line") return [];
    const before = offset ? `  // ${offset} elements after a multiple of 128 bytes` : "";
    return [`constexpr int WIDTH = ${width};`, `${TYPES[size]} tile[WIDTH][WIDTH${padding ? ` + ${padding}` : ""}];${before}`,
            "const int x = lane % WIDTH, y = lane / WIDTH;"];
  }

  // What the statement's names stand for: without their types, an access of 16 bytes reads like one of 4.
  const declared = ({ shape, size, access }) =>
    [...(shape === "line" ? [`${access === "load" ? "const " : ""}${TYPES[size]}* x;`] : []), `${TYPES[size]} value;`].join("  ");

  // The lines of CUDA that make this request.
  function source(pattern) {
    const where = place(pattern);
    const statement = pattern.access === "load" ? `value = ${where};` : `${where} = value;`;
    return [declared(pattern), ...tile(pattern), guard(pattern) + statement].join("\n");
  }

  return { LIMITS, checked, addresses, source };
})();
