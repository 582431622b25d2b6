"""A released class, made once, of which every test gets a copy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.nbgrader.school import Class

TOY_COURSE = Path(__file__).parents[1] / "toy_course"
SETTINGS = """
c.Exchange.root = "{top}/exchange"
c.Exchange.cache = "{top}/cache"
c.CourseDirectory.course_id = "toys"
c.ExchangeCollect.check_owner = False
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """nbgrader, and what it builds on, warn of much that is theirs to change."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(autouse=True)
def no_settings_of_this_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / "jupyter" / name))


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Autograding starts none: what a learner wrote into a notebook never runs."""

    def start(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a kernel was started")

    manager = pytest.importorskip("jupyter_client.manager", reason="nbgrader is not installed")
    monkeypatch.setattr(manager.AsyncKernelManager, "start_kernel", start)
    monkeypatch.setattr(manager.KernelManager, "start_kernel", start)


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """The toy course, built and with both assignments generated."""
    pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install 'cu2grad[instructor]'")
    from grader.cli.nbgrader import build

    school = Class(tmp_path_factory.mktemp("school"))
    shutil.copytree(TOY_COURSE, school.top / "course")
    for name in ("class", "home", "exchange"):
        (school.top / name).mkdir()
    school.begin()
    build((), school.top / "course", school.folder)
    settings = SETTINGS.format(top=school.top)
    (school.home / "nbgrader_config.py").write_text(
        f"c = get_config()\n{settings}"
    )  # a learner's has no more
    with (school.folder / "nbgrader_config.py").open("a") as config:
        config.write(settings)
        config.write('c.CollectExercises.clock = "name"\n')  # the exchange of a test is made in this moment
    for exercise in school.catalog.exercises:
        done = school.api().generate_assignment(exercise.slug)
        assert done["success"], done["log"]
    return school


@pytest.fixture
def toys(released: Class, tmp_path: Path) -> Class:
    """A class of one's own."""
    school = Class(tmp_path / "school")
    shutil.copytree(released.top, school.top)
    for config in school.top.glob("*/nbgrader_config.py"):
        config.write_text(config.read_text().replace(str(released.top), str(school.top)))
    return school
