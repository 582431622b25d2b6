"""The backend that needs no GPU: CUDA's programming model on the CPU, under an unmodified PyTorch.

`python -m cusimt script.py` runs a program on it, `pytest -p cusimt` a test suite;
`cusimt.activate` puts the simulated device in place. (PYTEST_DONT_REWRITE: there is no assertion here.)
"""

__version__ = "0.1.0"  # as in pyproject.toml
pytest_plugins = ("cusimt.pytest_plugin",)  # read by pytest when it is given `-p cusimt`
