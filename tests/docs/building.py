"""The command that builds the site, for tests that look at it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.support.locks import hold

ROOT = Path(__file__).resolve().parent.parent.parent


def build_site(folder: Path, audience: str = "", course: Path = ROOT) -> None:
    """Build into `folder`, where a warning is an error; skips the test where mkdocs is not installed.

    `audience` "class" leaves the solutions out; `course` is the folder with mkdocs.yml.
    """
    command = [*_mkdocs(), "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "CU2GRAD_SITE": audience}
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def common_site(factory: pytest.TempPathFactory) -> Path:
    """The site for everybody, to be read only. The first test of a run that asks builds it, in any worker."""
    place = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent  # that of all workers
    site = place / "common_site"
    with hold(place / "common_site.lock"):
        if not site.exists():
            build_site(place / "common_site.building")
            (place / "common_site.building").rename(site)
    return site


def _mkdocs() -> list[str]:
    if importlib.util.find_spec("mkdocs") and importlib.util.find_spec("material"):
        return [sys.executable, "-m", "mkdocs"]
    program = shutil.which("mkdocs")
    if program is None:
        pytest.skip("needs mkdocs-material: pip install -e '.[docs]'")
    return [program]
