"""Diagrams of the pages before the first kernel: the stack and its tools, the grid on the device, which tool to take."""

from __future__ import annotations

from cusimt.profile.occupancy import WARP, known_devices
from diagram import Diagram


def stack_and_tools() -> Diagram:
    """What each layer of an extension hands to the next, and who can look at it there."""
    canvas = Diagram(
        "stack-and-tools", 720, 396, "The layers of an extension, and which tool sees which",
        "Five layers from top to bottom, with what goes from each to the next. Python, op.py, hands tensors "
        "to the dispatcher; the dispatcher hands the same tensors to the wrapper, binding.cpp; the wrapper "
        "hands pointers, sizes and a stream to the launcher; the launcher hands a grid to the kernel. To "
        "the right the tools: print and pdb for Python; torch.library.opcheck for the dispatcher; "
        "TORCH_CHECK and gdb for the wrapper; CUDA_LAUNCH_BLOCKING and Nsight Systems for the launcher; "
        "compute-sanitizer, cuda-gdb, Nsight Compute and the grader's checked build for the kernel.",
    )  # fmt: skip
    rows = (
        ("Python", "op.py", "print, pdb, gradcheck", "tensors", "a"),
        ("dispatcher", "PyTorch", "opcheck, torch._C._dispatch_dump", "tensors, and a dispatch key", "box"),
        ("wrapper", "binding.cpp", "TORCH_CHECK, gdb, a C++ print", "pointers, sizes, a stream", "c"),
        ("launcher", "kernel.cu", "launch check, CUDA_LAUNCH_BLOCKING, Nsight Systems", "grid, block, arguments", "b"),
        ("kernel", "kernel.cu", "checked build, compute-sanitizer, cuda-gdb, Nsight Compute", "", "b"),
    )  # fmt: skip
    canvas.text(170, 18, "layer", "middle strong")
    canvas.text(330, 18, "what looks at it", "strong")
    for row, (layer, file, tools, passed, kind) in enumerate(rows):
        y = 30 + row * 74
        canvas.box(100, y, 140, 42, layer, kind)
        canvas.text(88, y + 25, file, "end mono small")
        canvas.text(330, y + 25, tools, "small")
        canvas.line([(246, y + 21), (322, y + 21)], "line dashed")
        if passed:
            canvas.arrow([(170, y + 44), (170, y + 72)])
            canvas.text(180, y + 62, passed, "small")
    return canvas


def grid_on_device() -> Diagram:
    """The words of a launch on the left, the parts of the device that they run on at the right."""
    device = known_devices()["h200"]
    canvas = Diagram(
        "grid-on-device", 700, 344, "A grid, and the device it runs on",
        "On the left what a launch consists of: a grid of blocks, a block of warps, a warp of 32 lanes. On the "
        f"right what an H200 consists of: {device.multiprocessors} multiprocessors over one L2 cache and the "
        "device memory. A block runs on one multiprocessor from its first to its last instruction; its warps "
        "take turns there; a lane has registers of its own; the block has a part of the shared memory.",
    )  # fmt: skip
    left = (("grid", "all blocks of a launch"), ("block", "up to 1024 threads"), ("warp", f"{WARP} lanes"),
            ("lane", "one thread"))  # fmt: skip
    right = (
        ("device", f"{device.multiprocessors} multiprocessors, L2, memory"),
        ("multiprocessor", f"up to {device.shared // 1024} KiB of shared memory"),
        ("one of 4 schedulers", f"{device.warps // 4} warps in turn"),
        ("registers", f"{device.registers // 4:,} for a scheduler's warps"),
    )
    canvas.text(120, 20, "what you launch", "middle strong")
    canvas.text(540, 20, "what it runs on", "middle strong")
    for row, ((word, what), (part, size)) in enumerate(zip(left, right, strict=True)):
        y = 34 + row * 78
        canvas.box(20, y, 200, 50, f"{word}\n{what}", "a")
        canvas.box(420, y, 240, 50, f"{part}\n{size}", "c")
        canvas.arrow([(226, y + 25), (414, y + 25)])
        if row < 3:
            canvas.arrow([(120, y + 52), (120, y + 76)])
            canvas.text(130, y + 68, "of", "small")
    for row, label in enumerate(
        ("is spread over", "runs on one", "is issued by one", "keeps its values in")
    ):
        canvas.text(320, 34 + row * 78 + 18, label, "middle small")
    return canvas


def which_tool() -> Diagram:
    """The decision guide: the first yes ends it."""
    questions = (
        ("Does a library call do it\n(ATen, cuBLAS, cuDNN, cuSPARSE)?", "library call", "06: a @ b"),
        ("Is it a chain of elementwise\noperations and reductions?", "torch.compile", "x + bias, then gelu"),
        ("Can you write it in blocks of a\ntensor, for GPUs you know?", "Triton", "a normalisation"),
        ("Is it a matrix product with\nsomething before or after it?", "CUTLASS", "odd epilogues"),
    )
    canvas = Diagram(
        "which-tool", 700, 448, "Which tool for which operation",
        "Four questions from top to bottom; the first yes decides. Does a library call do it: take the library "
        "call. Is it a chain of elementwise operations and reductions: take torch.compile. Can you write it in "
        "blocks of a tensor: take Triton. Is it a matrix product with something around it: take CUTLASS. If "
        "every answer is no: write CUDA C++.",
    )  # fmt: skip
    for row, (question, tool, example) in enumerate(questions):
        y = 10 + row * 92
        canvas.box(20, y, 290, 62, question)
        canvas.arrow([(314, y + 31), (414, y + 31)])
        canvas.text(364, y + 22, "yes", "middle small")
        canvas.box(420, y + 6, 150, 50, tool, "a")
        canvas.text(580, y + 35, example, "small")
        canvas.arrow([(165, y + 64), (165, y + 90)])
        canvas.text(175, y + 82, "no", "small")
    canvas.box(20, 10 + 4 * 92, 290, 62, "CUDA C++", "b")
    canvas.text(330, 10 + 4 * 92 + 35, "you control shared memory, warps and atomics", "small")
    return canvas
