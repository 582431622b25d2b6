"""Diagrams of 05 that show no measured time: who waits for whom, and whose memory it is."""

from __future__ import annotations

from diagram import Diagram


def block_given_again() -> Diagram:
    """05: the host frees scratch long before the stream has read it."""
    canvas = Diagram(
        "block-given-again", 720, 300, "A block that is given again too early",
        "Three rows over time: the host, the stream of ring 1, the stream of ring 0. The host allocates "
        "block A as scratch for ring 0, queues its copy and its step, and frees A at the end of the "
        "function. Then it allocates scratch for ring 1 and receives block A again. The stream of ring 1 "
        "copies into A while the step of ring 0 on the other stream is still reading A. With record_stream "
        "the allocator would have given another block.",
    )  # fmt: skip
    for y, name in ((30, "host"), (112, "ring 1's stream"), (188, "ring 0's stream")):
        canvas.text(110, y + 22, name, "end")
        canvas.line([(118, y + 40), (710, y + 40)], "line dashed")
    host = (
        ("allocate", "A", 124), ("queue", "2 calls", 204), ("free", "A", 284),
        ("allocate", "A again", 364), ("queue", "2 calls", 444), ("free", "A", 524),
    )  # fmt: skip
    for what, which, x in host:
        kind = "b" if which == "A again" else "d" if what == "free" else "box"
        canvas.box(x, 30, 74, 38, f"{what}\n{which}", kind)
    canvas.box(300, 188, 110, 36, "copy into A", "c")
    canvas.box(414, 188, 230, 36, "step reads A", "a")
    canvas.box(520, 112, 110, 36, "copy into A", "b")
    canvas.arrow([(241, 72), (318, 186)])
    canvas.arrow([(481, 72), (534, 110)])
    canvas.line([(520, 156), (520, 186)], "line dashed b")
    canvas.line([(630, 156), (630, 186)], "line dashed b")
    canvas.text(575, 176, "both at once", "middle small b")
    canvas.text(
        118,
        266,
        "With scratch.record_stream(stream) before the free, A stays taken until ring 0's stream",
        "small",
    )
    canvas.text(118, 284, "has passed this point, and the second allocation gets another block.", "small")
    return canvas


def fork_and_join() -> Diagram:
    """05: the two events that keep a side stream in order with the caller's."""
    canvas = Diagram(
        "fork-and-join", 720, 190, "Fork and join with events",
        "The caller's stream and a side stream over time. The caller's earlier work ends with the event "
        "ready. The side stream waits for ready, copies and steps, and records the event done. The caller's "
        "stream waits for done before the caller's later work.",
    )  # fmt: skip
    for row, name in enumerate(("caller's stream", "side stream")):
        y = 30 + row * 84
        canvas.text(118, y + 23, name, "end")
        canvas.line([(126, y + 40), (710, y + 40)], "line dashed")
    canvas.box(136, 30, 150, 36, "caller's earlier work", "box")
    canvas.box(560, 30, 146, 36, "caller's later work", "box")
    canvas.box(316, 114, 96, 36, "copy", "c")
    canvas.box(416, 114, 96, 36, "step", "a")
    canvas.arrow([(290, 50), (312, 124)], "line b")
    canvas.arrow([(516, 124), (554, 56)], "line b")
    canvas.text(262, 92, "ready", "end mono")
    canvas.text(560, 92, "done", "mono")
    canvas.text(136, 178, "record(caller), block(side)", "small mono")
    canvas.text(430, 178, "record(side), block(caller)", "small mono")
    return canvas
