"""Every command of `grader` with one line about it, by audience, and where its options are declared.

The learner's commands come first. `grader --help` is printed from here and imports none of the commands.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """``at`` is ``module:attribute`` below `grader.cli`: a function, or a typer application with commands."""

    name: str
    at: str
    summary: str


PANELS: dict[str, tuple[Entry, ...]] = {
    "Learn": (
        Entry("list", "learner_commands:list_", "The exercises, and how far you are."),
        Entry("next", "learner_commands:next_", "What to do next, and what failed last."),
        Entry("check", "check:check_command", "Build, run and judge your files."),
        Entry("watch", "watch:watch_command", "Check your files whenever you save one."),
        Entry("hint", "hints:hint_command", "One more hint; never the answer."),
        Entry("solution", "solution:solution_command", "The reference solution, once you passed."),
        Entry("reset", "reset:reset_command", "Put the stub back; your files are kept."),
        Entry("profile", "profile:profile_command", "Count what each source line does to memory."),
        Entry("bench", "bench:bench_command", "How fast yours is beside PyTorch and the hardware."),
    ),
    "More": (
        Entry("replay", "replay:replay_command", "Grade again with the inputs of a verdict."),
        Entry("doctor", "doctor:doctor_command", "What this machine lacks, with the exact fix."),
        Entry("editor", "editor:editor_command", "Tell clangd in your editor how to read the sources."),
        Entry("demo", "demo:demo_command", "One right kernel, then three wrong ones."),
        Entry("notebook", "notebook:notebook_command", "Write a notebook of an exercise."),
        Entry("update", "update:update_command", "Bring your folder up to a new handout."),
        Entry("import-verdict", "notebook:import_verdict_command", "Enter a verdict from another machine."),
    ),
    "Instructors": (
        Entry("class", "class_commands:class_", "new, release, collect, grade, feedback, export."),
        Entry("nbgrader", "nbgrader:nbgrader", "The same class in nbgrader."),
        Entry("gradescope", "gradescope:gradescope", "The same exercises in Gradescope."),
    ),
    "Authors": (
        Entry("new", "author:new_command", "Write an exercise that works, to begin from."),
        Entry("dev", "author:dev", "Regenerate stubs; prove that exercises are judged right."),
    ),
}
ENTRIES = {entry.name: entry for entries in PANELS.values() for entry in entries}
