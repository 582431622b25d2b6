"""The environment in which tests let torch's own build tools compile.

Where no test looks at the speed of host code, optimising it and writing its debug information is waste: of
34 s of processor time for a file with torch/extension.h, 16 s (g++ 12, torch 2.13). What a project asks for
itself comes later on the command line, and counts.
"""

from __future__ import annotations

QUICK_BUILDS = {"CFLAGS": "-O0 -g0", "CXXFLAGS": "-O0 -g0"}
