"""The course's exercises and those of the sample course, and a folder with one of their versions."""

from __future__ import annotations

from pathlib import Path

from grader.catalog import Catalog, Exercise
from grader.mutants import Mutant, load_mutants

ROOT = Path(__file__).resolve().parent.parent.parent
COURSES = (ROOT, ROOT / "docs" / "samples" / "course")
SEED = 20260401

EXERCISES: list[Exercise] = [exercise for course in COURSES for exercise in Catalog.open(course).exercises]
MUTANTS: list[Mutant] = [mutant for exercise in EXERCISES for mutant in load_mutants(exercise)]
