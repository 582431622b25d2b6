"""Which section a verdict is about. The verdicts are those on a right answer with one mistake in it."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from grader.cli.hint_section import sections_of
from grader.course.catalog import Catalog
from grader.course.hints import Symptom, read_hints, read_symptoms
from grader.course.workspace import without_markers
from grader.support.errors import BrokenExercise
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict

COURSE = Path(__file__).parents[2]
SLUGS = {"03": "03_fused_muladd", "05": "05_streams_and_devices", "13": "13_transpose"}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """A course in which the exercises of SLUGS are finished."""
    course = tmp_path_factory.mktemp("course")
    for folder in ("exercises", "solutions"):
        shutil.copytree(COURSE / folder, course / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for slug in SLUGS.values():
        for file in (course / "exercises" / slug).iterdir():
            master = course / "solutions" / slug / file.name
            if master.is_file():
                file.write_text(without_markers(master.read_text()))
    return Catalog.open(course)


def line_of(catalog: Catalog, number: str, file: str, text: str) -> int:
    lines = (catalog.find(number).root / file).read_text().splitlines()
    return next(index for index, line in enumerate(lines, 1) if text in line)


def told(catalog: Catalog, number: str, *checks: CheckResult) -> str:
    return next(iter(every(catalog, number, *checks)), "")


def every(catalog: Catalog, number: str, *checks: CheckResult) -> list[str]:
    exercise = catalog.find(number)
    return sections_of(exercise, exercise.root, Verdict(exercise.slug, "x", "simt", 7, checks))


def failed(check: str, sentence: str, topic: str = "", status: Status = Status.FAIL) -> CheckResult:
    return CheckResult(check, status, sentence, lesson=f"docs/lessons/x.md#{topic}" if topic else "")


@pytest.mark.parametrize(
    ("number", "check", "topic", "sentence", "section"),
    [
        ("03", "gradient", "none-gradient", "The backward of f returned None for c.", "backward"),
        (
            "03",
            "gradient",
            "needs-input-grad",
            "The backward of f: still 2 kernels are launched.",
            "backward",
        ),
        ("03", "gradient", "values", "The backward of f: the gradient of a is 1, expected 2.", "backward"),
        ("03", "gradient", "", "The second derivative of f by a is wrong.", "backward"),
        ("03", "gradient", "", "What backward reads is kept by ctx.save_for_backward, not else.", "forward"),
        ("03", "correctness", "refusals", "f: bad input (b is longer) must be refused.", "checks"),
        ("03", "correctness", "", "f raised RuntimeError at op.py:20: b must be contiguous", "checks"),
        ("03", "correctness", "values", "f returned 1 at [0], expected 2.", "kernel"),
        ("05", "gradient", "grad-out-changed", "The backward of f changed the gradient.", "backward"),
        (
            "05",
            "gradient",
            "values",
            "The backward of f: autograd sees this input pass through the call unchanged.",
            "forward",
        ),
        ("07", "gradient", "values", "The backward of f: the gradient of x is 1, expected 2.", "slope"),
        ("07", "gradient", "values", "The backward of f: the gradient of bias is 1.", "backward"),
        ("13", "gradient", "errors", "The backward of f raised RuntimeError at op.py:17: x", "backward"),
        ("13", "correctness", "shape", "f: the output has shape (7, 5), expected (5, 7).", "dispatch"),
        ("13", "gradient", "shape", "f returned shape [7, 5]: fix forward first.", ""),
        ("13", "correctness", "values", "f returned 1 at [0, 0], expected 2.", "store"),
        ("13", "device_work", "no-kernel", "The backward of f launched no kernel.", "backward"),
        ("13", "correctness", "values", "f is wrong. It is right to about 7 digits.", "tile"),
        ("05", "fork_and_join", "", "f launched everything on 1 stream; 4 are asked for.", "fork"),
        ("03", "device_work", "", "f launched no kernel. aten::addcmul did the work instead.", "forward"),
        ("06", "gradient", "library", "The gradients are right, but aten::mm computed them.", "backward"),
        ("06", "device_work", "library", "The backward of f called aten::mm.", "backward"),
    ],
)
def test_where_no_line_tells_the_check_and_what_it_says_do(
    catalog: Catalog, number: str, check: str, topic: str, sentence: str, section: str
) -> None:
    assert told(catalog, number, failed(check, sentence, topic)) == section


@pytest.mark.parametrize(
    ("number", "check", "kind", "file", "line", "sentence", "section"),
    [
        ("05", "safety", "stream_reuse", "kernel.cu", "<<<", "A block was freed.", "scratch"),
        ("05", "safety", "stream_fork", "kernel.cu", "<<<", "Does not wait for the caller's.", "fork"),
        ("05", "safety", "stream_join", "kernel.cu", "<<<", "The caller does not wait.", "join"),
        (
            "05",
            "safety",
            "out_of_bounds",
            "kernel.cu",
            "T left",
            "It is memory of another device.",
            "current",
        ),
        ("05", "safety", "out_of_bounds", "kernel.cu", "T left", "Element 299 of 299.", "kernel"),
        ("13", "efficiency", "bank_conflicts", "kernel.cu", "= tile[j][i]", "A stride of 32.", "tile"),
        ("13", "efficiency", "global_sectors", "kernel.cu", "= tile[j][i]", "A stride of 32.", "store"),
        ("13", "safety", "invalid_launch", "kernel.cu", "<<<", "The grid has 0 blocks.", "launcher"),
        ("03", "safety", "out_of_bounds", "kernel.cu", "a[i] * b[i];", "In the kernel that is given.", ""),
    ],
)
def test_a_finding_is_for_its_cause_or_else_for_the_section_it_stands_in(
    catalog: Catalog,
    number: str,
    check: str,
    kind: str,
    file: str,
    line: str,
    sentence: str,
    section: str,
) -> None:
    finding = ReportedFinding(kind, sentence, file=file, line=line_of(catalog, number, file, line))
    assert told(catalog, number, CheckResult(check, Status.FAIL, "x", findings=(finding,))) == section


def test_a_finding_tells_more_than_where_the_error_was_raised(catalog: Catalog) -> None:
    raised = line_of(catalog, "03", "op.py", "return _ops.muladd")
    forward = failed(
        "correctness", f"f raised AcceleratorError at op.py:{raised}: the safety check says where."
    )
    assert told(catalog, "03", forward) == "forward"
    launch = ReportedFinding(
        "invalid_launch", "x", file="kernel.cu", line=line_of(catalog, "03", "kernel.cu", "(a, b, c,")
    )
    assert (
        told(catalog, "03", forward, CheckResult("safety", Status.FAIL, "x", findings=(launch,)))
        == "launcher"
    )


def test_an_input_that_was_not_refused_is_not_the_kernels_access(catalog: Catalog) -> None:
    accepted = failed("correctness", "f: bad input (b is longer) must be refused, but it was accepted.")
    line = line_of(catalog, "03", "kernel.cu", "+ c[i]")
    access = ReportedFinding("out_of_bounds", "x", file="kernel.cu", line=line)
    assert (
        told(catalog, "03", accepted, CheckResult("safety", Status.FAIL, "x", findings=(access,))) == "checks"
    )


def test_a_missing_instantiation_is_told_by_the_linker_and_the_checks_after_it_tell_nothing(
    catalog: Catalog,
) -> None:
    lines = ("error: void launch_muladd<double>() is used, but nothing defines or instantiates it",)
    build = CheckResult("build", Status.BUILD_ERROR, "fused_muladd does not link.", lines=lines)
    silent = failed("gradient", "Not judged: The backward of", status=Status.BUILD_ERROR)
    assert told(catalog, "03", build, silent) == "instantiate"
    assert told(catalog, "03", silent) == ""


def test_a_wrong_result_says_nothing_about_its_gradient(catalog: Catalog) -> None:
    forward = failed("correctness", "f returned 1 at [0], expected 2.", "values")
    gradient = failed("gradient", "The backward of f: the gradient of x is 1, expected 2.", "values")
    assert told(catalog, "14", gradient) == "backward"
    assert told(catalog, "14", forward, gradient) == ""


def test_every_failure_has_its_section_after_the_first(catalog: Catalog) -> None:
    refused = failed("correctness", "f: bad input (b is longer) must be refused, but it was accepted.")
    library = failed("device_work", "f launched no kernel. aten::addcmul did the work instead.")
    backward = failed("gradient", "The backward of f returned None for c.")
    assert every(catalog, "03", refused, backward, library) == ["checks", "backward", "forward"]
    assert every(catalog, "03", refused, backward) == ["checks", "backward"]


def test_the_first_check_that_failed_comes_before_one_that_is_surer(catalog: Catalog) -> None:
    """A finding names its line, and wrong values only suggest the kernel; still they are looked at first."""
    wrong = failed("correctness", "f returned 1 at [0], expected 2.", "values")
    line = line_of(catalog, "03", "kernel.cu", "(a, b, c,")
    stream = ReportedFinding("launch_stream", "x", file="kernel.cu", line=line)
    safety = CheckResult("safety", Status.FAIL, "x", findings=(stream,))
    assert every(catalog, "03", wrong, safety) == ["kernel", "launcher"]
    backward = failed("gradient", "The backward of f: the gradient of a is 1, expected 2.", "values")
    answers = CheckResult("answers", Status.FAIL, "x", lines=("conflict_wavefronts: look again",))
    assert every(catalog, "15", backward, answers) == ["backward", "conflict_wavefronts"]


def test_a_check_that_another_refers_to_comes_before_that_one(catalog: Catalog) -> None:
    refers = failed(
        "correctness", "No kernel of yours was launched: see device work. f returned 1.", "values"
    )
    library = failed("device_work", "f launched no kernel. aten::addcmul did the work instead.")
    assert every(catalog, "03", refers, library) == ["forward", "kernel"]
    line = line_of(catalog, "13", "kernel.cu", "= tile[j][i]")
    said = "A barrier that others never reach. The values are wrong, too: f returned 1, expected 2."
    wrong = failed("correctness", f"kernel.cu:{line}: {said}", "values")
    barrier = ReportedFinding("divergent_barrier", "x", file="kernel.cu", line=line)
    safety = CheckResult("safety", Status.FAIL, "x", findings=(barrier,), lesson="x#divergent-barrier")
    assert every(catalog, "13", wrong)[0] == "store"
    assert every(catalog, "13", wrong, safety) == ["load", "store"]


def test_a_sure_symptom_comes_before_the_line_of_the_check_that_its_sentence_refers_to(
    catalog: Catalog,
) -> None:
    """Strides in bytes are the binding's mistake; the line that is out of bounds is another section's."""
    line = line_of(catalog, "04", "kernel.cu", "return")
    access = ReportedFinding("out_of_bounds", "x", file="kernel.cu", line=line)
    safety = CheckResult("safety", Status.FAIL, "x", findings=(access,), lesson="x#out-of-bounds")
    said = "kernel.cu:1: Invalid read. The values are wrong, too: f(a, 'pointers') returned 0."
    sure = failed(
        "correctness", f"{said} This is the answer for `a` read with its strides in bytes.", "values"
    )
    assert every(catalog, "04", sure, safety)[0] == "view"
    assert every(catalog, "04", failed("correctness", said, "values"), safety)[0] == "element"


def test_an_error_of_the_device_is_where_safety_saw_it(catalog: Catalog) -> None:
    raised = "The backward of f raised AcceleratorError at op.py:19: CUDA error: an illegal memory access"
    safety = CheckResult(
        "safety", Status.FAIL, "Invalid __global__ write of size 2.", lesson="x#out-of-bounds"
    )
    gradient = failed("gradient", raised, "errors")
    assert every(catalog, "20", gradient, safety) == ["store", "backward"]
    assert every(catalog, "20", gradient) == ["backward"]


@pytest.mark.parametrize(
    ("check", "sentence", "section"),
    [
        (
            "build",
            "No wheel was built. ValueError: Unknown CUDA arch (75) or GPU not supported.",
            "architectures",
        ),
        ("build", "No wheel was built. RuntimeError: Error compiling objects for extension.", "extension"),
        ("correctness", "f(a) raised AttributeError: `fused_muladd` has no `muladd`", "load"),
        ("gradient", "The backward of f returned None for a, which requires a gradient.", "load"),
    ],
)
def test_a_failure_of_a_package_has_its_section(
    catalog: Catalog, check: str, sentence: str, section: str
) -> None:
    assert every(catalog, "23", failed(check, sentence))[0] == section


def test_only_answers_begin_their_lines_with_a_section(catalog: Catalog) -> None:
    lines = ("schema                 holds", "fake tensor            fails")
    fake = "Fake tensor: pairwise::sqdist(x: float32 (5, 3)): opcheck says: x"
    dispatcher = CheckResult("dispatcher", Status.FAIL, fake, lines=lines, lesson="x#fake-tensor")
    assert every(catalog, "21", dispatcher) == ["fake"]
    assert every(catalog, "21", CheckResult("dispatcher", Status.FAIL, "x", lines=lines)) == []
    quoted = failed("answers", "answers.toml, line 44, cannot be read: `past_the_end = c`.")
    assert every(catalog, "14", quoted) == ["past_the_end"]


def test_a_sentence_comes_before_the_lines_that_are_about_other_failures(catalog: Catalog) -> None:
    """Both operators have a fake; the table below says what fails besides."""
    fake = "Fake tensor: pairwise::sqdist_backward(grad: float32 (6, 7)): opcheck says: x"
    lines = ("fake tensor  fails", "torch.func   fails: pairwise::sqdist(x: float32 (5, 3)) raised x")
    dispatcher = CheckResult("dispatcher", Status.FAIL, fake, lines=lines, lesson="x#fake-tensor")
    assert every(catalog, "21", dispatcher) == ["backward_fake", "fake"]


def test_classes_of_mistakes_that_a_suite_does_not_see_have_their_sections(catalog: Catalog) -> None:
    lines = ("Bad input (2 of 3 not seen): Look at the message.", "What a call costs (not seen): Time.")
    kills = CheckResult("kills", Status.FAIL, "Your suite sees 13 of 15 classes.", lines=lines)
    assert every(catalog, "27", kills) == ["refusals", "costs"]


def test_values_that_are_not_close_enough_for_a_suite_are_about_its_tolerance(catalog: Catalog) -> None:
    said = 'test_dtypes[dtype0-5] says "AssertionError: Tensor-likes are not close!"'
    accepts = CheckResult("accepts", Status.FAIL, f"Your suite refuses the implementation: {said}.")
    assert every(catalog, "27", accepts) == ["tolerance"]
    lines = ("The precision of a dtype (1 of 2 not seen): Compare every dtype.",)
    kills = CheckResult("kills", Status.FAIL, "Your suite sees 15 of 16 classes.", lines=lines)
    assert every(catalog, "27", kills) == ["tolerance", "dtypes"]
    lines = ("The precision of a dtype (not seen): Compare every dtype.",)
    assert every(catalog, "27", replace(kills, lines=lines)) == ["dtypes"]


def test_a_failure_in_a_given_function_is_about_the_section_that_calls_it(catalog: Catalog) -> None:
    stub = (catalog.find("27").root / "test_op.py").read_text().splitlines()
    given = stub.index("    out = op.bias_softmax(x, bias)") + 1
    calls = stub.index("def test_layouts() -> None:") + 1
    said = 'Your suite refuses a correct implementation: test_layouts says "AssertionError: assert False".'
    there = CheckResult("accepts", Status.FAIL, f"test_op.py:{given}: {said}")
    assert every(catalog, "27", there) == []
    called = replace(there, sentence=f"test_op.py:{given} (called in line {calls}): {said}")
    assert every(catalog, "27", called) == ["layouts"]


def test_an_operator_that_only_repeats_what_is_wrong_without_it_gives_no_hint(catalog: Catalog) -> None:
    follows = "torch.compile: repair the values first: they are wrong without it, too."
    values = CheckResult("correctness", Status.FAIL, "x: an lse with the logarithm to base 2 of the sum.")
    found = every(catalog, "28", values, CheckResult("dispatcher", Status.FAIL, follows))
    assert found == ["finish"]
    of_its_own = CheckResult("dispatcher", Status.FAIL, "Fake tensor: a fake gives shape and dtype.")
    assert every(catalog, "28", values, of_its_own) == ["finish", "fake"]


def test_every_class_of_mistakes_has_a_section(catalog: Catalog) -> None:
    exercise = catalog.find("27")
    hidden = (exercise.solution_dir / "hidden.toml").read_text()
    titles = re.findall(r'^title = "(.+)"$', hidden, re.MULTILINE)
    assert len(titles) == 16
    for title in titles:
        missed = CheckResult("kills", Status.FAIL, "x", lines=(f"{title} (not seen): y",))
        assert every(catalog, "27", missed), title


def test_symptoms_stand_below_their_section_and_are_no_hints(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    text = exercise.hints_path.read_text()
    comment = "# store\n<!-- for safety: ^race -->\n<!-- otherwise correctness: a (b|c) -->\n"
    exercise.hints_path.write_text(text.replace("# store\n", comment))
    assert read_symptoms(exercise) == [
        Symptom("store", "safety", re.compile("^race"), sure=True),
        Symptom("store", "correctness", re.compile("a (b|c)"), sure=False),
    ]
    assert "race" not in "".join(read_hints(exercise)["store"])


@pytest.mark.parametrize("comment", ["<!-- safety: x -->", "<!-- for safety: ( -->", "<!-- a remark -->"])
def test_a_comment_that_is_no_symptom_is_an_error_of_the_exercise(toy_catalog: Catalog, comment: str) -> None:
    exercise = toy_catalog.exercises[0]
    exercise.hints_path.write_text(f"# index\n{comment}\n## x\ny\n")
    with pytest.raises(BrokenExercise, match=r"hints\.md:2: "):
        read_symptoms(exercise)


def test_of_parts_that_build_on_each_other_the_first_one_that_failed_decides(catalog: Catalog) -> None:
    late = failed("in_place", "The backward of f: the gradient of rings[0] is 1, expected 2.", "values")
    assert told(catalog, "05", late) == "backward"
    early = failed("current_stream", "f returned 1 at [0], expected 2.", "values")
    assert told(catalog, "05", early, late) == "kernel"


@pytest.mark.parametrize("name", ["changes", "unheard_of"])
def test_a_result_that_is_no_part_is_not_taken_for_one(catalog: Catalog, name: str) -> None:
    """Of wrong values the kernel is the subject, in the check that compares values, and in a part."""
    assert told(catalog, "03", failed("correctness", "f returned 1, expected 2.", "values")) == "kernel"
    assert told(catalog, "03", failed(name, "f returned 1, expected 2.", "values")) == ""


def test_wrong_values_of_a_part_are_those_of_forward(catalog: Catalog) -> None:
    backward = failed("another", "The backward of g: the gradient of x is 1, expected 2.", "values")
    exercise = replace(catalog.find("03"), scores={"parts": 100})
    verdict = Verdict(exercise.slug, "x", "simt", 7, (failed("first", "f: 1", "values"), backward))
    (section,) = sections_of(exercise, exercise.root, verdict)
    assert section == "kernel"
