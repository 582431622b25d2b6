"""Builds a learner's package: a wheel out of pyproject.toml, setup.py and sources, as pip would.

`setup.py` is a program, and a stranger's: it runs in a process of its own that may write into its own copy of
the folder and nowhere else (`building`), with the build back end and the compilers that this Python has and
nothing from the network (`backend`). What comes out is installed into an empty folder (`wheel`).
"""

from grader.packages.building import PackageRequest, build_package
from grader.packages.importing import why_not_importable

__all__ = ["PackageRequest", "build_package", "why_not_importable"]
