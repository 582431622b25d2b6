"""Diagrams of 10: arguments and gradients of a backward, a cycle of references, and a cotangent's memory."""

from __future__ import annotations

import torch

from diagram import Diagram


def backward_contract() -> Diagram:
    """Arguments of forward above, what backward returns below; shapes as autograd gives them."""
    x, gain = torch.ones(2, 3, 4, requires_grad=True), torch.ones(3, requires_grad=True)
    products = torch.ones(2, 3, 4)  # of grad_out and x, before the sum
    (x * gain[:, None]).backward(torch.ones(2, 3, 4))
    assert x.grad is not None and gain.grad is not None
    columns = (
        ("x", _shape(x), "grad_x", _shape(x.grad), "d"),
        ("weight", "a number", "None", "", "box"),
        ("gain", _shape(gain), "grad_gain", _shape(gain.grad), "d"),
    )
    canvas = Diagram(
        "backward-contract", 660, 300, "One value for each argument, in the same order",
        f"Above, three arguments of a forward: x of shape {_shape(x)}, the number weight, gain of shape "
        f"{_shape(gain)}. Below, what its backward returns, each under its argument: grad_x of the shape of "
        "x, None under the number, grad_gain of the shape of gain. For gain the products of grad_out and x, "
        f"of shape {_shape(products)}, are added up first, because each value of gain was used "
        f"{products.numel() // gain.numel()} times.",
    )  # fmt: skip
    canvas.text(10, 48, "forward(ctx,", "mono")
    canvas.text(10, 148, "return", "mono")
    for place, (name, shape, back, back_shape, kind) in enumerate(columns):
        left = 130 + place * 175
        canvas.box(left, 22, 150, 46, f"{name}\n{shape}", "a" if place != 1 else "box", mono=True)
        canvas.arrow([(left + 75, 72), (left + 75, 116)], "line dashed")
        canvas.box(left, 120, 150, 46, f"{back}\n{back_shape}".strip(), kind, mono=True)
    uses = products.numel() // gain.numel()
    canvas.box(480, 226, 150, 46, f"grad_out * x\n{_shape(products)}", "d", mono=True)
    canvas.arrow([(555, 222), (555, 172)])
    canvas.text(546, 202, f"sum of {uses}", "end small")
    canvas.text(305, 184, "a number gets None", "small")
    canvas.text(305, 200, "in its position", "small")
    canvas.text(470, 236, f"each value used {uses} times in", "end small")
    canvas.text(470, 254, f"forward: {uses} terms in backward", "end small")
    return canvas


def kept_on_ctx() -> Diagram:
    """A result on ctx closes a cycle of references; a saved one does not."""
    canvas = Diagram(
        "kept-on-ctx", 660, 250, "A result as an attribute of ctx, and saved",
        "Left, ctx.out = out: the result holds its graph by grad_fn, the graph holds ctx, and ctx holds the "
        "result: a cycle, which lives until Python's garbage collector runs. Right, save_for_backward: "
        "ctx keeps the memory of the result and the version it had, not the result itself, so nothing is "
        "held in a cycle, and a change is noticed when backward unpacks it.",
    )  # fmt: skip
    for left, title, kept in ((20, "ctx.out = out", True), (350, "ctx.save_for_backward(out)", False)):
        canvas.text(left, 24, title, "mono strong")
        canvas.box(left, 50, 110, 44, "out", "c", mono=True)
        canvas.box(left + 180, 50, 110, 44, "graph node")
        canvas.box(left + 180, 160, 110, 44, "ctx")
        canvas.arrow([(left + 114, 72), (left + 176, 72)])
        canvas.text(left + 145, 44, "grad_fn", "middle small mono")
        canvas.arrow([(left + 235, 98), (left + 235, 156)])
        if kept:
            canvas.arrow([(left + 176, 182), (left + 55, 182), (left + 55, 98)], "line b")
            canvas.text(left + 112, 204, "attribute out", "middle small")
            canvas.text(left + 55, 232, "no version is compared", "small b")
        else:
            canvas.box(left, 160, 110, 44, "memory of out\n+ its version", "c")
            canvas.arrow([(left + 176, 182), (left + 114, 182)])
            canvas.arrow([(left + 55, 98), (left + 55, 156)])
            canvas.text(left, 232, "version compared when unpacked", "small c")
    return canvas


def expanded_cotangent() -> Diagram:
    """The memory of an expanded cotangent, and where a kernel that counts elements reads."""
    grad = torch.ones(()).expand(2, 4)
    cell, left = 58, 150
    held = grad.untyped_storage().nbytes() // grad.element_size()
    strided = [row * grad.stride(0) + column * grad.stride(1) for row in range(2) for column in range(4)]
    counted = list(range(grad.numel()))
    past = sum(place >= held for place in counted)
    canvas = Diagram(
        "expanded-cotangent", left + grad.numel() * cell + 20, 190,
        "An expanded cotangent read as if it were dense",
        f"A cotangent of shape {_shape(grad)} with strides {grad.stride()} has {held} element in memory. Its "
        f"strides map each of its {grad.numel()} elements to that one. A kernel that counts from the "
        f"pointer reads elements {counted[0]} to {counted[-1]}: {past} of {grad.numel()} are past the end.",
    )  # fmt: skip
    rows = (("in memory", None), ("by the strides", strided), ("counted", counted))
    for row, (label, places) in enumerate(rows):
        y = 18 + row * 56
        canvas.text(left - 14, y + 24, label, "end")
        for index in range(held if places is None else len(places)):
            place = index if places is None else places[index]
            kind = "c" if place < held else "b"
            canvas.box(left + index * cell, y, cell - 4, 38, f"[{place}]", kind, mono=True)
    return canvas


def _shape(tensor: torch.Tensor) -> str:
    return str(tuple(tensor.shape))
