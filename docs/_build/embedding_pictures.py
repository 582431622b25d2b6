"""Pictures of lesson 09: a gather and its scatter, an update that is lost, segments of sorted indices."""

from __future__ import annotations

from diagram import Diagram

INDICES = (2, 0, 2, 3)  # of the first picture, into a table of ROWS rows
ROWS = 4
UNSORTED = (2, 0, 3, 2, 0, 2)  # of the last picture


def gather_and_scatter() -> Diagram:
    """Forward copies rows out of weight, backward adds rows back: several to one row, none to another."""
    uses = [INDICES.count(row) for row in range(ROWS)]
    twice, never = uses.index(max(uses)), uses.index(0)
    canvas = Diagram(
        "gather-and-scatter", 660, 250, "Forward gathers rows, backward scatters their gradients",
        f"Left, forward: the indices {', '.join(map(str, INDICES))} select rows of weight, one for each row "
        f"of out. Row {twice} is copied {uses[twice]} times, row {never} never. Right, backward: each row of "
        f"grad_out is added to the row of grad_weight that it was a copy of. Row {twice} gets "
        f"{uses[twice]} additions, and row {never} stays zero.",
    )  # fmt: skip
    height, top = 40, 50
    for left, titles, kinds in (
        (10, ("weight", "out", "forward: one writer each"), ("a", "c")),
        (350, ("grad_out", "grad_weight", "backward: additions collide"), ("c", "a")),
    ):
        right = left + 190
        forward = left == 10
        canvas.text(left + 145, 18, titles[2], "middle strong")
        canvas.text(left + 50, 40, titles[0], "middle mono small")
        canvas.text(right + 50, 40, titles[1], "middle mono small")
        for number in range(ROWS):
            y = top + number * (height + 6)
            for x, kind, is_table in ((left, kinds[0], forward), (right, kinds[1], not forward)):
                label = f"row {number}" if is_table else f"index {INDICES[number]}"
                empty = is_table and uses[number] == 0
                canvas.box(x, y, 100, height, label, "box" if empty else kind, mono=True)
        for position, row in enumerate(INDICES):
            table, place = _middle(top, height, row), _middle(top, height, position)
            ends = (table, place) if forward else (place, table)
            hot = not forward and uses[row] > 1
            canvas.arrow([(left + 104, ends[0]), (right - 4, ends[1])], "line b" if hot else "line")
    return canvas


def _middle(top: float, height: float, number: int) -> float:
    return top + number * (height + 6) + height / 2


def lost_update() -> Diagram:
    """Two threads add to one number: by hand without an atomic, and with it."""
    start, first, second = 5, 1, 2
    lost = start + second  # both read `start`; the second to write decides
    kept = start + first + second
    canvas = Diagram(
        "lost-update", 660, 300, "Two threads add to the same number",
        f"The number in memory is {start}; thread A adds {first}, thread B adds {second}. Left, with +=: "
        f"both read {start}, A writes {start + first}, B writes {lost}, and A's addition is lost. Right, "
        f"with atomicAdd: the memory does A's addition, then B's, and holds {kept}.",
    )  # fmt: skip
    plain = (("A", f"reads {start}"), ("B", f"reads {start}"), ("A", f"writes {start} + {first}"),
             ("B", f"writes {start} + {second}"))  # fmt: skip
    atomic = (("A", f"atomicAdd {first}"), ("B", f"atomicAdd {second}"))
    memory = {False: (start, start, start + first, lost), True: (start + first, kept)}
    for left, title, steps, is_atomic in (
        (10, "total += x", plain, False), (350, "atomicAdd(&total, x)", atomic, True)
    ):  # fmt: skip
        canvas.text(left + 145, 18, title, "middle mono strong")
        for x, label in ((left + 50, "thread A"), (left + 160, "thread B"), (left + 255, "memory")):
            canvas.text(x, 42, label, "middle small")
        canvas.box(left + 225, 52, 60, 30, str(start), "box", mono=True)
        for number, ((thread, does), held) in enumerate(zip(steps, memory[is_atomic], strict=True)):
            y = 92 + number * 44
            x = left if thread == "A" else left + 110
            canvas.box(x, y, 104, 36, does, "a" if thread == "A" else "d")
            kind = "c" if is_atomic else "b" if number == len(steps) - 1 else "box"
            canvas.box(left + 225, y + 3, 60, 30, str(held), kind, mono=True)
        wrong = (
            f"{kept} would be right: A's {first} is lost"
            if not is_atomic
            else "one after the other, in any order"
        )
        canvas.text(
            left + 145,
            290 if not is_atomic else 200,
            wrong,
            "middle small " + ("b" if not is_atomic else "c"),
        )
    return canvas


def segments() -> Diagram:
    """Indices with their positions, the same sorted, and the sum that the head of each segment makes."""
    order = sorted(range(len(UNSORTED)), key=lambda position: UNSORTED[position])  # Python's sort is stable
    values = [UNSORTED[position] for position in order]
    heads = [place for place in range(len(values)) if place == 0 or values[place - 1] != values[place]]
    cell, left, gap = 86, 110, 6
    canvas = Diagram(
        "segments", left + len(UNSORTED) * cell + 10, 272, "Sorted indices fall into segments",
        f"The indices are {', '.join(map(str, UNSORTED))}. Sorted stably they are "
        f"{', '.join(map(str, values))}, and come from positions {', '.join(map(str, order))}. Equal ones "
        f"are neighbours, and keep the order of their positions. A segment begins at places "
        f"{', '.join(map(str, heads))}: the thread there adds up the rows of grad_out of its whole segment.",
    )  # fmt: skip
    kinds = {row: "acdb"[number] for number, row in enumerate(sorted(set(UNSORTED)))}
    for y, label in ((18, "position"), (48, "indices"), (124, "sorted"), (168, "order")):
        canvas.text(left - 12, y, label, "end mono small")
    for place in range(len(UNSORTED)):
        x = left + place * cell
        canvas.text(x + (cell - gap) / 2, 18, str(place), "middle tiny")
        canvas.box(x, 26, cell - gap, 34, str(UNSORTED[place]), kinds[UNSORTED[place]], mono=True)
        canvas.box(x, 102, cell - gap, 34, str(values[place]), kinds[values[place]], mono=True)
        canvas.box(x, 146, cell - gap, 34, str(order[place]), kinds[values[place]], mono=True)
        middle = (cell - gap) / 2
        canvas.arrow(
            [(left + order[place] * cell + middle, 64), (x + middle, 98)], f"line {kinds[values[place]]}"
        )
    for head in heads:
        row, x = values[head], left + head * cell
        terms = [order[place] for place in range(len(values)) if values[place] == row]
        width = len(terms) * cell - gap
        canvas.arrow([(x + (cell - gap) / 2, 184), (x + (cell - gap) / 2, 204)])
        canvas.box(x, 208, width, 50, f"row {row}\n" + " + ".join(f"g{term}" for term in terms), kinds[row])
    canvas.text(left - 12, 238, "grad_weight", "end mono small")
    return canvas
