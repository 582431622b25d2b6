"""Look-alikes: who renames is found, who was handed the same text is not, and nobody's text is run."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grader.cli.similarity import show_pairs
from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import stub_text, without_markers
from grader.instruct.course import People
from grader.instruct.similarity import (
    SOLUTION,
    LookAlike,
    comparison_of,
    look_alikes,
    look_alikes_of_class,
    past_term,
)
from grader.instruct.similarity.compare import LEAST_OVERLAP, MOST
from grader.instruct.similarity.document import GRAM, WINDOW, Document, Handout, document, grams, winnowed
from grader.instruct.similarity.page import look_alikes_page
from grader.instruct.similarity.passages import passages
from grader.instruct.similarity.tokens import tokens_of
from grader.instruct.submissions import Submission

MULADD = "01_muladd"
ROOT = Path(__file__).resolve().parents[2]

# What different people may write where the stub of 01_muladd leaves `backward` open.
OWN = {
    "tuple": """
        first, second = ctx.saved_tensors
        dense = grad.contiguous()
        zero = 0.0
        results = []
        for factor in (second, first):
            if factor.numel() == 0 or dense.numel() == 0:
                results.append(torch.zeros_like(factor))
                continue
            results.append(torch.ops.toy_muladd.muladd(dense, factor, zero))
        assert len(results) == 2 and all(each.shape == dense.shape for each in results)
        return tuple(results) + (None,)
""",
    "needs": """
        saved = ctx.saved_tensors
        need_a, need_b, _ = ctx.needs_input_grad
        if not grad.is_contiguous():
            grad = grad.clone(memory_format=torch.contiguous_format)
        da = None if not need_a else torch.ops.toy_muladd.muladd(grad, saved[1], 0.0)
        db = None if not need_b else torch.ops.toy_muladd.muladd(grad, saved[0], 0.0)
        if da is not None and db is not None and da.dtype != db.dtype:
            raise TypeError(f"{da.dtype} is not {db.dtype}")
        return da, db, None
""",
    "inner": """
        def times(x):
            op = torch.ops.toy_muladd.muladd
            return op(grad + 0.0 * x, x, float(0))
        u = ctx.saved_tensors[0]; v = ctx.saved_tensors[1]
        assert u.shape == v.shape, "same shapes"
        order = {0: v, 1: u}
        while len(order) < 2:
            order.update({len(order): u})
        return [times(order[w]) for w in sorted(order.keys())] + [None]
""",
}
RENAMED = """
        # compute   gradients
        t1, t2 = ctx.saved_tensors
        g2 = grad.contiguous()  # dense
        null = 0.0
        lst = []
        for f in (t2,
                  t1):
            if f.numel() == 0 or g2.numel() == 0:
                lst.append(torch.zeros_like(f))
                continue  # nothing to do
            lst.append(torch.ops.toy_muladd.muladd(g2, f, null))
        assert len(lst) == 2 and all(q.shape == g2.shape for q in lst)
        return tuple(lst) + (None,)
"""


@pytest.fixture
def muladd(toy_catalog: Catalog) -> Exercise:
    return toy_catalog.find(MULADD)


@pytest.fixture
def hand_in(tmp_path: Path, muladd: Exercise) -> Callable[[str, str], Submission]:
    """Writes a hand-in whose backward is the given text, in the stub around it."""

    def write(student: str, backward: str, folder: str = "submitted") -> Submission:
        place = tmp_path / folder / student / MULADD
        place.mkdir(parents=True)
        stub = stub_text(muladd, "op.py")
        begin = stub.index("        # TODO(backward)")
        end = stub.index("\n\n", begin)
        (place / "op.py").write_text(stub[:begin] + backward.strip("\n") + stub[end:])
        (place / "kernel.cu").write_text(stub_text(muladd, "kernel.cu"))
        return Submission(student, MULADD, place)

    return write


Writer = Callable[..., Submission]


def _groups(*members: str) -> Callable[[str, str], bool]:
    """As a class has it in which ``members`` are one group."""
    return People({}, (), {(student, MULADD): "one" for student in members}, {}).in_one_group(MULADD)


def pairs(found: list[LookAlike]) -> list[tuple[str, str]]:
    return [(each.first, each.second) for each in found]


def test_who_renames_everything_and_lays_it_out_anew_is_found(hand_in: Writer, muladd: Exercise) -> None:
    submissions = [hand_in(name, text) for name, text in OWN.items()] + [hand_in("copier", RENAMED)]
    found = look_alikes(submissions, muladd)
    assert pairs(found) == [("tuple", "copier")]
    assert found[0].overlap == 1.0
    assert found[0].same_names < 0.5
    assert found[0].tokens > 0.9 * found[0].first_own
    assert "tuple and copier have" in found[0].sentence


def test_what_was_handed_out_is_nobodys_own(hand_in: Writer, muladd: Exercise) -> None:
    """Two untouched stubs are the same from the first byte to the last, and no pair."""
    submissions = [
        hand_in(name, stub_text(muladd, "op.py")[:0] + "        raise NotImplementedError") for name in "ab"
    ]
    assert look_alikes(submissions, muladd) == []
    text = without_markers((muladd.solution_dir / "op.py").read_text())
    own = document({"op.py": text}, Handout.of(muladd))
    lines = {int(line) for line in own.line[own.own]}
    backward = [number for number, line in enumerate(text.splitlines(), 1) if "saved_tensors" in line]
    assert min(lines) >= backward[0] - 1 and max(lines) <= backward[0] + 5


def test_the_reference_solution_is_known_by_its_names(tmp_path: Path) -> None:
    exercise = Catalog.open(ROOT).find("03")
    solution = {name: without_markers((exercise.solution_dir / name).read_text()) for name in exercise.edit}
    renamed = {
        name: re.sub(r"\b(needs_a|needs_b|grad_a|grad_b|i)\b", r"my_\1", text).replace("T*", "T *")
        for name, text in solution.items()
    }
    submissions = []
    for student, files in {"ana": solution, "bo": renamed}.items():
        folder = tmp_path / student / exercise.slug
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        submissions.append(Submission(student, exercise.slug, folder))
    found = look_alikes(submissions, exercise)
    overlap = {(each.first, each.second): each.overlap for each in found}
    assert overlap["ana", "bo"] == overlap["ana", SOLUTION] == 1.0
    assert overlap.get(("bo", SOLUTION), 0.0) < 1.0
    assert next(each for each in found if each.second == SOLUTION).same_names == 1.0


def test_a_class_that_copied_the_solution_does_not_hide_it(tmp_path: Path) -> None:
    """The fault: of eleven copies among thirteen the list said that there is no pair."""
    exercise = Catalog.open(ROOT).find("03")
    solution = {name: without_markers((exercise.solution_dir / name).read_text()) for name in exercise.edit}
    stubs = {name: stub_text(exercise, name) for name in exercise.edit}
    submissions = []
    for number in range(13):
        folder = tmp_path / f"s{number:02}" / exercise.slug
        folder.mkdir(parents=True)
        for name, text in (solution if number < 11 else stubs).items():
            (folder / name).write_text(text)
        submissions.append(Submission(f"s{number:02}", exercise.slug, folder))
    found = comparison_of(submissions, exercise)
    assert found.solved == [f"s{number:02}" for number in range(11)]
    assert found.untouched == ["s11", "s12"]
    assert found.warnings[0].startswith("03_fused_muladd: 11 of 13 hand-ins hold the reference solution")
    assert "2 of 13 hand-ins hold nothing beyond the stubs: s11 and s12." in found.not_compared[0]
    assert {each.second for each in found.pairs} == {SOLUTION}  # which explains what they have in common
    assert len(found.pairs) == 11


def test_partners_are_no_majority(hand_in: Writer, muladd: Exercise) -> None:
    submissions = [hand_in(name, RENAMED) for name in ("ana", "bo", "cy")]
    assert comparison_of(submissions, muladd).alike == ["ana", "bo", "cy"]
    assert comparison_of(submissions, muladd, together=_groups("ana", "bo", "cy")).alike == []


def test_whoever_is_in_a_group_counts_for_the_majority(hand_in: Writer, muladd: Exercise) -> None:
    """The fault: everybody is in one group with themselves, so the one in the middle was left out."""
    submissions = [hand_in(name, RENAMED) for name in ("ana", "bo", "cy")]
    assert comparison_of(submissions, muladd, together=_groups("ana")).alike == ["ana", "bo", "cy"]


@pytest.mark.parametrize("prints", range(7, 14))
def test_whom_no_pair_can_name_is_named_as_too_short(
    hand_in: Writer, muladd: Exercise, monkeypatch: pytest.MonkeyPatch, prints: int
) -> None:
    """The fault: two equal texts of nine or ten fingerprints were neither a pair nor too short."""
    fingerprints = Document.fingerprints
    monkeypatch.setattr(Document, "fingerprints", lambda self, values: fingerprints(self, values)[:prints])
    found = comparison_of([hand_in(name, OWN["tuple"]) for name in ("ana", "bo")], muladd)
    assert found.short == ([] if found.pairs else ["ana", "bo"])
    assert bool(found.pairs) == (prints > 10)


def test_what_is_too_short_to_tell_anything_is_no_pair(hand_in: Writer, muladd: Exercise) -> None:
    short = "        return torch.ops.toy_muladd.muladd(grad, grad, 1.0), None, None"
    found = comparison_of([hand_in("ana", short), hand_in("bo", short)], muladd)
    assert found.pairs == []
    assert "too little of their own to compare, under some fifty tokens: ana and bo." in found.not_compared[0]


def test_what_half_of_a_class_wrote_tells_nothing_about_two_of_them(
    hand_in: Writer, muladd: Exercise
) -> None:
    same = [hand_in(f"s{each}", RENAMED) for each in range(30)]
    assert look_alikes(same, muladd) == []
    [said] = comparison_of(same, muladd).warnings  # which would be no word about thirty copies otherwise
    assert said.startswith("01_muladd: 30 of 30 hand-ins hold one text but for names")
    assert said.endswith(": s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 20 more.")
    others = [hand_in(f"t{each}", OWN["inner"].replace("times", f"f{each}")) for each in range(2)]
    assert pairs(look_alikes(same + others, muladd)) == [("t0", "t1")]


def test_past_terms_are_compared_with_and_not_among_themselves(
    hand_in: Writer, muladd: Exercise, toy_catalog: Catalog, tmp_path: Path
) -> None:
    for name in ("old", "older"):
        hand_in(name, OWN["tuple"], "autumn")
    submissions = [hand_in("copier", RENAMED), hand_in("own", OWN["needs"])]
    [comparison] = look_alikes_of_class(submissions, toy_catalog, past=[tmp_path / "autumn"])
    found = comparison.pairs
    assert [(each.first, Path(each.second)) for each in found] == [
        ("copier", Path(os.path.relpath(tmp_path / "autumn" / name))) for name in ("old", "older")
    ]
    assert {each.exercise for each in found} == {MULADD}


def test_who_hands_in_together_is_not_compared(hand_in: Writer, muladd: Exercise) -> None:
    submissions = [hand_in("ana", OWN["tuple"]), hand_in("bo", RENAMED), hand_in("cy", RENAMED)]
    found = look_alikes(submissions, muladd, together=lambda one, other: {one, other} == {"ana", "bo"})
    assert ("ana", "bo") not in pairs(found)
    assert {("ana", "cy"), ("bo", "cy")} == set(pairs(found))


def test_groups_do_not_push_who_copied_off_the_list(hand_in: Writer, muladd: Exercise) -> None:
    """Partners hand in the same files, so their pairs are the strongest, and more than are listed."""
    draw = random.Random(1)

    def text() -> str:
        signs = draw.choices(["+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "==", "and", "or"], k=60)
        return f"        return (grad {' grad '.join(signs)} grad)"

    partners = [
        hand_in(f"g{group}{member}", each)
        for group, each in enumerate(text() for _ in range(60))
        for member in "ab"
    ]
    copied = text()
    submissions = [*partners, hand_in("ana", copied), hand_in("bo", copied)]

    def together(one: str, other: str) -> bool:
        return one[:-1] == other[:-1]

    assert len(look_alikes(submissions, muladd)) == MOST
    assert pairs(look_alikes(submissions, muladd, together=together)) == [("ana", "bo")]


def test_passages_are_found_where_they_were_moved_to(muladd: Exercise) -> None:
    one = "\n".join(f"x{n} = f{n}(a{n}, b{n}) + {n} * (c{n} - d{n})" for n in range(3))
    two = "\n".join(f"p[{n}] += q{n} if r{n} else (s{n}, [t{n}])" for n in range(3))
    handout = Handout(frozenset(), np.empty(0, dtype=np.uint64))
    first = document({"a.py": f"{one}\n\n{two}\n"}, handout)
    second = document({"b.py": f"import y\n{two}\n\n\n{one}\n"}, handout)
    found = passages(first, second)
    assert [(each.first.where, each.second.where) for each in found] == [
        ("a.py:1-3", "b.py:7-9"),
        ("a.py:5-7", "b.py:2-4"),
    ]
    assert found[0].second.text == tuple(one.splitlines())
    assert sum(each.tokens for each in found) == int(first.own.sum())


def test_no_passage_goes_from_one_file_into_the_next(muladd: Exercise) -> None:
    handout = Handout(frozenset(), np.empty(0, dtype=np.uint64))
    half = "a = b + c * d - e / f\n"
    one = document({"a.py": half, "b.py": half}, handout)
    whole = document({"c.py": half + half}, handout)
    assert all(each.first.first == each.first.last for each in passages(one, whole))
    assert len(passages(one, whole)) == 2


def test_whatever_is_long_enough_is_found_by_fingerprints() -> None:
    """The guarantee of winnowing: a common run of GRAM + WINDOW - 1 tokens shares a fingerprint."""
    draw = np.random.default_rng(1)
    for _ in range(200):
        common = draw.integers(0, 50, GRAM + WINDOW - 1).astype(np.uint64)
        one, other = (
            np.concatenate((draw.integers(50, 99, 30), common, draw.integers(50, 99, 30))).astype(np.uint64)
            for _ in range(2)
        )
        shared = np.intersect1d(winnowed(grams(one, GRAM)), winnowed(grams(other, GRAM)))
        assert np.isin(shared, grams(common, GRAM)).any()


def test_fingerprints_are_the_same_in_every_process() -> None:
    handout = Handout(frozenset(), np.empty(0, dtype=np.uint64))
    made = document({"a.py": "total = sum(x * y for x, y in zip(xs, ys))\n"}, handout)
    assert made.fingerprints(made.plain).tolist() == [839437976878559314, 909006170862782489]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "def f(:\n  (((\n'''",
        "\t\n x\n\ty\n",
        "é = '\ud800'\n",
        '#if\n"\\',
        "(" * 5000,
        "x = 1\n" * 30,
    ],
)
def test_no_text_makes_it_fail(text: str, muladd: Exercise) -> None:
    for name in ("op.py", "kernel.cu"):
        made = document({name: text}, Handout.of(muladd))
        assert passages(made, made) is not None


def test_python_goes_on_after_a_line_that_it_cannot_read() -> None:
    found = tokens_of("op.py", "a = 1\nb = (]\nc = 2\n")
    assert [each.text for each in found if each.line != 2] == ["a", "=", "1", "c", "=", "2"]


@pytest.mark.parametrize("name", ["op.py", "answers.toml"])
def test_comments_are_no_tokens(name: str) -> None:
    assert [each.text for each in tokens_of(name, '# said\nq1 = "b"  # why\n')] == ["q1", "=", '"b"']


def test_python_with_a_mistake_in_every_line_is_read_to_the_end() -> None:
    """And each line once: copying the rest at every mistake would take minutes for this one."""
    text = "  x = 1\n y = 2\n" * 20_000  # no block ends where one began
    found = [each.text for each in tokens_of("op.py", text)]
    assert found.count("x") == 20_000


def test_two_past_terms_of_one_name_are_two(hand_in: Writer, muladd: Exercise, tmp_path: Path) -> None:
    for term in ("spring", "autumn"):
        hand_in("old", OWN["tuple"], f"{term}/submitted")
    folders = [tmp_path / term / "submitted" for term in ("spring", "autumn")]
    labels = [label for folder in folders for label, _ in past_term(folder, muladd)]
    assert len(set(labels)) == 2


def test_a_long_hand_in_is_cut_and_a_pattern_is_no_passage() -> None:
    """So nobody can make this take for ever: each of 6,000 lines would begin a passage at each other one."""
    handout = Handout(frozenset(), np.empty(0, dtype=np.uint64))
    pattern = document({"op.py": "x = [1, 2, 3, 4]\n" * 6_000}, handout)
    assert len(pattern.plain) == 20_000
    assert passages(pattern, pattern) == []


def test_the_page_shows_both_sides_and_runs_nothing(hand_in: Writer, muladd: Exercise) -> None:
    evil = OWN["tuple"].replace("zero = 0.0", "zero = 0.0  # <script>alert(1)</script>")
    found = look_alikes([hand_in("ana", evil), hand_in("bo", RENAMED)], muladd)
    page = look_alikes_page(found, "Class <1>")
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page
    assert "Class &lt;1&gt;" in page
    assert "t1, t2 = ctx.saved_tensors" in page and "first, second = ctx.saved_tensors" in page
    assert "http" not in page  # nothing is fetched from anywhere
    assert "never" in page or "Nothing here is a verdict" in page


def test_what_is_shown_of_a_text_steers_no_terminal(
    hand_in: Writer, muladd: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = OWN["tuple"].replace("zero = 0.0", "zero = 0.0  # \x1b]52;c;ZXZpbA==\x07 \x9b2J")
    found = look_alikes([hand_in("ana", evil), hand_in("bo", RENAMED)], muladd)
    assert any("ZXZpbA==" in line for pair in found for each in pair.passages for line in each.first.text)
    show_pairs(found, plain=False)
    printed = capsys.readouterr().out + look_alikes_page(found, "Class")
    assert not set(printed) & {"\x1b", "\x07", "\x9b"}


def test_the_page_says_what_was_measured() -> None:
    table = (ROOT / "benchmarks/results/similarity_cpu.md").read_text()
    rows = [
        [float(cell) for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("| 500")
    ]
    page = " ".join((ROOT / "docs/instructors/reference.md").read_text().split())
    few, many = sorted(int(row[5]) for row in rows)
    assert f"{few} and {many} of the {500 * 499 // 2:,} pairs" in page
    _, copies, _, reported, *_ = rows[-1]
    assert f"Of {copies:.0f} copies, {copies - reported:.0f} stayed below {LEAST_OVERLAP}." in page
