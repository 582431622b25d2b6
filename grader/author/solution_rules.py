"""Rules for the solution, what is generated from it, the spec and the planted mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.author.problem import Problem
from grader.course.answer_key import KEY
from grader.course.catalog import Catalog, Exercise
from grader.course.implementations import PUBLISHED
from grader.course.mutants import load_mutants
from grader.course.sections import comment_prefix, find_regions
from grader.course.workspace import shipped_files
from grader.specification import Case, Count, Spec, load_spec

LEAST_MUTANTS = 6
_BESIDE = ("build", "changes")  # results of a verdict that earn nothing
_TELLING = 24  # characters: a shorter line, like `if (i >= n) return;`, may stand in a hint by chance
# What of the spec a check goes by; each is a field of Spec of the same name.
_JUDGED_BY = {
    "accepts": "TESTS", "answers": "QUESTIONS", "dispatcher": "DISPATCHER", "efficiency": "EFFICIENCY",
    "gradient": "GRADIENT", "kills": "TESTS", "measurements": "WORKLOADS", "packaging": "PACKAGING",
    "parts": "PARTS", "performance": "SPEED",
}  # fmt: skip
_REMOVE = "Remove one of the two."
_DRAW = (
    "Add one with sizes=drawn(...), see `python -m pydoc grader.specification.sizes`, "
    "or say in FIXED_SIZES why not."
)
_LAUNCH_CHECK = "_CUDA_KERNEL_LAUNCH_CHECK()"  # of C10 or of the stable ABI
_OWN_FILES = {"exercise.toml", "spec.py", "hints.md", KEY}


def stubs_are_generated(exercise: Exercise) -> Iterator[Problem]:
    """The learner's files are what the solution gives."""
    for path, text in shipped_files(exercise).items():
        if not path.is_file():
            yield Problem(path, "it does not exist yet", "It is generated from the solution: make sync")
        elif path.read_text(encoding="utf-8") != text:
            yield Problem(
                path, "it differs from what the solution gives", "Edit the solution, then: make sync"
            )


def prompts_count_lines(exercise: Exercise) -> Iterator[Problem]:
    """`about N lines` in a TODO is what the solution takes."""
    for section, lines in section_lines(exercise).items():
        facts = exercise.sections[section]
        mark = comment_prefix(facts.file[facts.file.rfind(".") :])
        code = [line for line in lines if not line.startswith(f"{mark} ") and line != mark]
        if facts.lines != len(code):
            yield Problem(
                exercise.root / "exercise.toml",
                f"sections.{section}.lines is {facts.lines}, the solution has {len(code)}",
                f"Write lines = {len(code)}",
            )


def nothing_is_given_away(exercise: Exercise) -> Iterator[Problem]:
    """No line that a learner is to write stands in a stub or a hint."""
    hints = exercise.hints_path.read_text(encoding="utf-8") if exercise.hints_path.is_file() else ""
    given = _given_lines(exercise)
    shown = {**shipped_files(exercise), exercise.hints_path: hints}
    for section, lines in section_lines(exercise).items():
        told = given | {line.strip() for line in exercise.sections[section].stub.splitlines()}
        for line in lines:
            if len(line) <= _TELLING or line.startswith(("//", "#")) or line in told:
                continue
            for path, text in shown.items():
                if line in text:
                    yield Problem(
                        path,
                        f"it gives away a line of section {section}: {line}",
                        "Say what it does instead.",
                    )


def only_what_is_listed(exercise: Exercise) -> Iterator[Problem]:
    """A file without a rule would go out of date."""
    spec = load_spec(exercise)
    programs = {question.program.file for question in spec.questions if isinstance(question, Count)}
    published = {PUBLISHED} if spec.tests is not None else set()
    known = {*exercise.edit, *exercise.given, *_OWN_FILES, *programs, *published}
    for path in sorted(exercise.root.iterdir()):
        if path.is_file() and path.name not in known and not path.name.startswith("."):
            yield Problem(
                path, "exercise.toml does not list it", "List it in `edit` or `given`, or remove it."
            )


def requirements_exist(exercise: Exercise) -> Iterator[Problem]:
    """What has to be done before is in the course, and comes before."""
    numbers = {each.slug: each.number for each in Catalog.open(exercise.course).exercises}
    place = exercise.root / "exercise.toml"
    for slug in exercise.requires:
        if slug not in numbers:
            yield Problem(
                place, f"it requires {slug}, which does not exist", "Name exercises of this course."
            )
        elif numbers[slug] >= exercise.number:
            yield Problem(place, f"it requires {slug}, which comes later", "Require earlier ones only.")


def spec_loads(exercise: Exercise) -> Iterator[Problem]:
    """`problems_of` passes on what BrokenSpec says; a sound spec may still lack something."""
    spec = load_spec(exercise)
    for check, name in _JUDGED_BY.items():
        if check in exercise.scores and not getattr(spec, name.lower()):
            yield Problem(
                exercise.spec_path,
                f"exercise.toml gives points for {check}, but {name} is missing",
                f"Export {name}, or write a [scores] table without {check}.",
            )
    of_a_part = spec.part is not None and spec.part.efficiency  # judged with the part, for its points
    if spec.efficiency and not of_a_part and "efficiency" not in exercise.scores:
        yield Problem(
            exercise.spec_path, "EFFICIENCY sets limits that earn nothing", "Give points to `efficiency`."
        )


def sizes_are_drawn(exercise: Exercise) -> Iterator[Problem]:
    """No kernel can be written for the sizes of the cases: some are drawn from the verdict's seed."""
    spec = load_spec(exercise)
    drawing = [each for each in _all_cases(spec) if any(case.sizes is not None for case in each[1])]
    if spec.fixed_sizes:
        for where, _ in drawing:
            yield Problem(
                exercise.spec_path, f"{where} draws sizes, and FIXED_SIZES says why none are drawn", _REMOVE
            )
        return
    for where, cases in _all_cases(spec):
        if (where, cases) not in drawing:
            yield Problem(exercise.spec_path, f"{where} has no case with drawn sizes", _DRAW)


def _all_cases(spec: Spec) -> Iterator[tuple[str, Sequence[Case]]]:
    """The lists of cases, those of each part, by the words for them."""
    for each in spec.parts or (spec,):
        of = f" of {each.part.name}" if each.part is not None else ""
        yield f"CASES{of}", each.cases
        if each.gradient is not None:
            yield f"GRADIENT{of}", each.gradient.cases


def mistakes_are_planted(exercise: Exercise) -> Iterator[Problem]:
    """Enough mistakes, forward and backward, each caught by a check that exists here."""
    place = exercise.solution_dir / "mutants.toml"
    mutants = load_mutants(exercise)
    if len(mutants) < LEAST_MUTANTS:
        yield Problem(
            place,
            f"it has {len(mutants)} mistakes; a grader is tested with {LEAST_MUTANTS} at least",
            "Add [[mutant]] tables: what a learner would get wrong, one edit each.",
        )
    spec = load_spec(exercise)
    caught_by = {mutant.caught_by for mutant in mutants}
    judged = {*exercise.scores, *_BESIDE, *(each.part.name for each in spec.parts if each.part is not None)}
    for check in sorted(caught_by - judged):
        yield Problem(place, f"caught_by is {check!r}, which is no check here", "Name one of the verdict's.")
    if not {*exercise.build.sources, "op.py"} & {*exercise.edit}:
        return  # the operation is given: no mistake of a learner's is in it
    for check, asked in (("correctness", True), ("gradient", spec.gradient is not None)):
        if check in exercise.scores and asked and check not in caught_by:
            yield Problem(place, f"no mistake is caught by {check}", "Plant one that only it can see.")


def launch_checks_are_tried(exercise: Exercise) -> Iterator[Problem]:
    """Where a learner can lose the check of a launch, a case makes a launch fail."""
    checked = [name for name in exercise.edit if _LAUNCH_CHECK in _solved(exercise, name)]
    spec = load_spec(exercise)
    judged = spec.parts or (spec,)
    if checked and not any(case.launch_errors for each in judged for case in each.cases):
        yield Problem(
            exercise.root / "spec.py",
            f"{checked[0]} checks its launches, and no case makes one fail",
            "Give a case launch_errors=True, also of the gradient where backward launches.",
        )


def _solved(exercise: Exercise, name: str) -> str:
    path = exercise.solution_dir / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def section_lines(exercise: Exercise) -> dict[str, list[str]]:
    """The stripped lines of each section, as the solution has them; blank ones left out."""
    found = {}
    for file in exercise.edit:
        text = (exercise.solution_dir / file).read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines()]
        for region in find_regions(text, exercise.solution_dir / file):
            if region.name in exercise.sections:
                found[region.name] = [line for line in lines[region.start : region.end - 1] if line]
    return found


def _given_lines(exercise: Exercise) -> set[str]:
    """The stripped lines that stand outside of every section: a learner sees them anyway."""
    given: set[str] = set()
    for file in exercise.edit:
        text = (exercise.solution_dir / file).read_text(encoding="utf-8")
        hidden = {
            number
            for region in find_regions(text, file)
            if region.name in exercise.sections
            for number in range(region.start, region.end)
        }
        given |= {line.strip() for number, line in enumerate(text.splitlines()) if number not in hidden}
    return given
