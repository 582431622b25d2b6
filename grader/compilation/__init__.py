"""Compiles exercises and extensions: `build` for the grader, `load` for programs."""

from grader.compilation.builder import build
from grader.compilation.devices import detect_backend
from grader.compilation.loading import load, preload
from grader.compilation.request import Artifact, BuildRequest

__all__ = ["Artifact", "BuildRequest", "build", "detect_backend", "load", "preload"]
