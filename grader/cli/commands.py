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
        Entry("check", "learner_commands:check", "Build, run and judge your files."),
        Entry("watch", "learner_commands:watch", "Check your files whenever you save one."),
        Entry("hint", "learner_commands:hint", "One more hint; never the answer."),
        Entry("solution", "learner_commands:solution", "The reference solution, once you passed."),
        Entry("reset", "learner_commands:reset", "Put the stub back; your files are kept."),
        Entry("profile", "learner_commands:profile", "Count what each source line does to memory."),
    ),
    "More": (
        Entry("replay", "more_commands:replay", "Grade again with the inputs of a verdict."),
        Entry("doctor", "more_commands:doctor", "What this machine lacks, with the exact fix."),
        Entry("editor", "more_commands:editor", "Tell clangd in your editor how to read the sources."),
        Entry("demo", "more_commands:demo", "One right kernel, then three wrong ones."),
        Entry("notebook", "notebook_commands:notebook", "Write a notebook of an exercise."),
        Entry("import-verdict", "notebook_commands:import_verdict", "Enter a verdict from another machine."),
    ),
    "Instructors": (
        Entry("batch", "batch_commands:batch", "Grade a folder of submissions."),
        Entry("workspace", "workspace_commands:workspace", "Learners' folders, without the answers."),
        Entry("nbgrader", "nbgrader_commands:nbgrader", "A course for nbgrader."),
        Entry("course", "marks_commands:course", "course.toml and the tables beside it."),
        Entry("marks", "marks_commands:marks", "Each student's marks, and why."),
        Entry("cluster", "cluster_commands:cluster", "Grading on more than one machine."),
        Entry("export", "export_commands:export", "Marks for a spreadsheet or an LMS."),
        Entry("similarity", "marks_commands:similarity", "Submissions that look alike."),
        Entry("gradescope", "export_commands:gradescope", "Grade inside Gradescope's autograder."),
    ),
    "Authors": (
        Entry("new", "author_commands:new", "Write an exercise that works, to begin from."),
        Entry("dev", "author_commands:dev", "Regenerate stubs; prove that exercises are judged right."),
    ),
}
ENTRIES = {entry.name: entry for entries in PANELS.values() for entry in entries}
