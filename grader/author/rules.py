"""Every rule for an exercise that reading its files can check."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.author import lesson_rules, question_rules, solution_rules
from grader.author.problem import Problem
from grader.course.catalog import Exercise
from grader.support.errors import UsageError

Rule = Callable[[Exercise], Iterator[Problem]]

RULES: tuple[Rule, ...] = (
    solution_rules.stubs_are_generated,
    solution_rules.prompts_count_lines,
    solution_rules.nothing_is_given_away,
    solution_rules.only_what_is_listed,
    solution_rules.requirements_exist,
    solution_rules.spec_loads,
    solution_rules.sizes_are_drawn,
    solution_rules.mistakes_are_planted,
    solution_rules.launch_checks_are_tried,
    question_rules.questions_have_a_place,
    question_rules.choices_are_read_where_they_are_answered,
    lesson_rules.hints_have_three_rungs,
    lesson_rules.hints_quote_the_lesson,
    lesson_rules.lesson_is_whole,
    lesson_rules.lesson_shows_the_files,
    lesson_rules.lesson_is_in_the_menu,
    lesson_rules.anchors_are_unique,
)


def problems_of(exercise: Exercise) -> Iterator[Problem]:
    """What ``exercise`` lacks; a file that cannot be read at all is one problem, told once."""
    told = set()
    for rule in RULES:
        try:
            found = list(rule(exercise))
        except UsageError as broken:
            found = [Problem(exercise.root, broken.what, " ".join((broken.rule, broken.next)).strip())]
        for problem in found:
            if problem not in told:
                told.add(problem)
                yield problem
