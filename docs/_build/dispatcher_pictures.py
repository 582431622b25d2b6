"""The diagram of lesson 21: which kernel of an operator the dispatcher runs for which call."""

from __future__ import annotations

import torch

from diagram import Diagram

# A dispatch key, what registers a kernel for it, and what that kernel does. At Python that is PyTorch's own
# fallback, which leaves the dispatcher and calls the operator's fake.
ROWS = (
    ("FuncTorchBatched", "register_vmap", "its dimension\nbecomes a batch"),
    ("AutogradCUDA", "register_autograd", "records a node\nfor backward"),
    ("Python", "built in", "calls the fake:\nshape, no values"),
    ("CUDA", "TORCH_LIBRARY_IMPL", "launches\nthe kernel"),
)
# A call, and the keys whose kernels run, in order.
CALLS = (
    ("plain", ("CUDA",)),
    ("x requires grad", ("AutogradCUDA", "CUDA")),
    ("under vmap", ("FuncTorchBatched", "CUDA")),
    ("traced", ("AutogradCUDA", "Python")),
)


def by_priority(keys: list[str]) -> list[str]:
    """The keys in the order in which PyTorch's dispatcher tries them."""
    left = {name: getattr(torch._C.DispatchKey, name) for name in keys}
    found = []
    while left:
        whole = torch._C.DispatchKeySet(next(iter(left.values())))
        for key in left.values():
            whole = whole.add(key)
        first = str(whole.highestPriorityTypeId()).removeprefix("DispatchKey.")
        found.append(first)
        del left[first]
    return found


def key_stack() -> Diagram:
    """The stack of keys, and the paths of four calls down through it."""
    rows = {key: row for row, key in enumerate(by_priority([key for key, _, _ in ROWS]))}
    canvas = Diagram(
        "key-stack", 760, 344, "The dispatch keys of an operator, and four calls on their way down",
        "Four dispatch keys, the first one tried on top: FuncTorchBatched, registered by register_vmap; "
        "AutogradCUDA, by register_autograd; Python, the key of fake tensors, where PyTorch's own kernel calls "
        "the operator's fake; and CUDA, by TORCH_LIBRARY_IMPL. A plain call goes straight to CUDA. If x "
        "requires grad, it passes AutogradCUDA first. Under vmap, the rule calls the operator again, with one "
        "more dimension, and that call goes to CUDA. A call that is traced for the compiler passes "
        "AutogradCUDA and ends at Python: it never reaches the kernel for CUDA.",
    )  # fmt: skip
    canvas.text(80, 24, "dispatch key", "middle strong")
    for column, (name, keys) in enumerate(CALLS):
        x = 300 + column * 114
        canvas.text(x + 50, 24, name, "middle strong")
        for key, _, does in ROWS:
            y = 40 + rows[key] * 74
            if key in keys:
                canvas.box(x, y, 100, 52, kind="c" if key == "CUDA" else "a")
                for line, text in enumerate(does.split("\n")):
                    canvas.text(x + 50, y + 23 + line * 15, text, "middle small")
            passed = rows[key] < max(rows[each] for each in keys)
            if passed and key not in keys:
                canvas.line([(x + 50, y), (x + 50, y + 52)], "line dashed")
            if passed:
                canvas.arrow([(x + 50, y + 54), (x + 50, y + 72)])
    for key, registers, _ in ROWS:
        y = 40 + rows[key] * 74
        canvas.box(10, y, 140, 52, key, mono=True)
        canvas.text(160, y + 31, registers, "mono small")
    return canvas
