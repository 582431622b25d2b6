"""Compiles exercises and extensions: `build` for the grader, `load` for programs."""

from grader.build.builder import build
from grader.build.devices import detect_backend
from grader.build.loading import load, preload
from grader.build.request import Artifact, BuildRequest

__all__ = ["Artifact", "BuildRequest", "build", "detect_backend", "load", "preload"]
