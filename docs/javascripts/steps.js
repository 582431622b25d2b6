// Pictures with steps: a slider shows one step at a time in words, and marks it in the picture. Without
// JavaScript the list of all steps is there to be read.
(() => {
  "use strict";
  for (const list of document.querySelectorAll(".steps ol.step-list")) {
    const part = list.closest(".steps");
    const steps = [...list.children];
    const marked = [...part.querySelectorAll("svg.fig rect[data-begin]")];
    const label = document.createElement("label");
    const slider = document.createElement("input");
    const sentence = document.createElement("div");
    label.className = "step-slider";
    label.append(`${list.dataset.label} `, slider);
    Object.assign(slider, { type: "range", min: 0, max: steps.length - 1, step: 1, value: 0 });
    sentence.className = "step-now";
    sentence.setAttribute("aria-live", "polite");

    function show() {
      const now = Number(slider.value);
      slider.setAttribute("aria-valuetext", `step ${now} of ${steps.length - 1}`);
      sentence.innerHTML = steps[now].innerHTML;
      for (const box of marked) {
        box.classList.toggle("now", Number(box.dataset.begin) <= now && now < Number(box.dataset.end));
      }
    }

    slider.addEventListener("input", show);
    list.closest("details").before(label, sentence);
    show();
  }
})();
