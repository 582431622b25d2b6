// Lesson 15: a slider over the steps of the picture of two barriers. Without JavaScript the list of steps is
// there to be read; with it, the slider shows one step at a time and marks it in the picture.
(() => {
  "use strict";
  const list = document.querySelector("ol.barrier-steps");
  if (!list) return; // another page

  const steps = [...list.children];
  const marked = [...document.querySelectorAll(".barriers svg.fig rect[data-begin]")];
  const label = document.createElement("label");
  const slider = document.createElement("input");
  const sentence = document.createElement("div");
  label.className = "barrier-slider";
  label.append("Time ", slider);
  Object.assign(slider, { type: "range", min: 0, max: steps.length - 1, step: 1, value: 0 });
  sentence.className = "barrier-now";
  sentence.setAttribute("aria-live", "polite");

  function show() {
    const time = Number(slider.value);
    slider.setAttribute("aria-valuetext", `step ${time} of ${steps.length - 1}`);
    sentence.innerHTML = steps[time].innerHTML;
    for (const box of marked) {
      box.classList.toggle("now", Number(box.dataset.begin) <= time && time < Number(box.dataset.end));
    }
  }

  slider.addEventListener("input", show);
  const words = list.closest("details");
  words.before(label, sentence);
  show();
})();
