"""`grader dev`: what authors of exercises run."""

from __future__ import annotations

from pathlib import Path

from grader import mutants, workspace
from grader.catalog import Catalog
from grader.cli.listing import shown


def sync_stubs(check: bool, course: Path | None) -> int:
    """Regenerates the stubs, or with ``check`` says which differ. Returns 1 when one does, else 0."""
    catalog = Catalog.open(course)
    for exercise in catalog.exercises:
        mutants.load_mutants(exercise)  # their `find` strings must still match the solutions
    stale = workspace.sync(catalog, check)
    for path in stale:
        print(f"{'differs' if check else 'wrote'}  {shown(path)}")
    if not stale:
        print(f"All {len(catalog.exercises)} exercises agree with their solutions.")
    elif check:
        print("Stubs are generated from the solutions. Run: make sync")
    else:
        print(f"What was replaced is kept in {shown(catalog.course / '.cu2grad' / 'backups')}.")
    return 1 if stale and check else 0
