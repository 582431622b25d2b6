// What a reader of this page could not read, as sentences: parts that are cut off, tiny or colliding labels of
// figures, faint text. The value of the whole expression is the list; it looks at the page as it is laid out now.
(() => {
  "use strict";
  const LEAST_TEXT = 9, LEAST_CONTRAST = 4.5; // pixels; by WCAG 2.1, for text of any size
  const FAINT = ".cu2grad, .home-hero, .home-doors"; // where every word is checked
  const root = document.documentElement, found = [];
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);
  const named = (element) => `${element.tagName.toLowerCase()} "${element.textContent.trim().replace(/\s+/g, " ").slice(0, 50)}"`;
  const cut = (element) => element.scrollWidth > element.clientWidth + 1;

  // ---- cut off ----

  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth - root.clientWidth} pixels too wide`);
  for (const block of all(".md-content pre, .md-content pre > code")) if (cut(block)) found.push(`cut code: ${named(block)}`);
  for (const figure of all("figure.diagram")) if (cut(figure)) found.push(`a figure that has to be moved: ${named(figure)}`);
  const scrolls = (element) => !element.matches(".md-content") && (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  for (const table of all(".md-content table")) {
    if (table.getBoundingClientRect().right > root.clientWidth && !scrolls(table.parentElement)) found.push(`cut table: ${named(table)}`);
  }

  // ---- figures ----

  const across = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  for (const svg of all(".md-content svg.fig")) {
    const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
    const name = svg.querySelector("title").textContent;
    const labels = [...svg.querySelectorAll("text")].filter((each) => each.textContent.trim())
      .map((each) => ({ each, text: each.textContent, at: each.getBoundingClientRect() }));
    for (const [number, { each, text, at }] of labels.entries()) {
      const size = parseFloat(getComputedStyle(each).fontSize) * scale;
      if (size < LEAST_TEXT - 0.05) found.push(`text of ${size.toFixed(1)} pixels: "${text}" in "${name}"`);
      if (at.left < frame.left - 1 || at.right > frame.right + 1) found.push(`label beyond the edge: "${text}" in "${name}"`);
      for (const other of labels.slice(number + 1)) {
        if (across(at, other.at) > 2 && down(at, other.at) > 0.5 * Math.min(at.height, other.at.height)) {
          found.push(`labels collide: "${text}" and "${other.text}" in "${name}"`);
        }
      }
    }
  }

  // ---- contrast ----

  // Red, green and blue from 0 to 1, and opacity, of a computed colour: rgb(), rgba() or color(srgb ...).
  function channels(colour) {
    const numbers = colour.match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
    const scale = colour.startsWith("color(") ? 1 : 255;
    return { rgb: numbers.slice(0, 3).map((each) => each / scale), alpha: numbers[3] ?? 1 };
  }
  const over = (top, alpha, below) => top.map((each, index) => alpha * each + (1 - alpha) * below[index]);
  function background(element) {
    if (!element) return [1, 1, 1];
    const { rgb, alpha } = channels(getComputedStyle(element).backgroundColor);
    return alpha === 1 ? rgb : over(rgb, alpha, background(element.parentElement));
  }
  const opacity = (element) => (element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);
  function luminance(rgb) {
    const [red, green, blue] = rgb.map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrast(element) {
    const below = background(element), { rgb, alpha } = channels(getComputedStyle(element).color);
    const [bright, dark] = [luminance(over(rgb, alpha * opacity(element), below)), luminance(below)].sort((a, b) => b - a);
    return (bright + 0.05) / (dark + 0.05);
  }
  const says = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const part of all(FAINT)) {
    for (const element of [part, ...part.querySelectorAll("*:not(svg, svg *, style)")]) {
      if (visible(element) && says(element) && opacity(element) > 0 && contrast(element) < LEAST_CONTRAST) {
        found.push(`contrast ${contrast(element).toFixed(2)}: ${named(element)}`);
      }
    }
  }
  return found;
})()
