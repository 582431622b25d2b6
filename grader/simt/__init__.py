"""The backend that needs no GPU: CUDA's programming model on the CPU, under an unmodified PyTorch.

`python -m grader.simt script.py` runs a program on it, `pytest -p grader.simt` a test suite;
`grader.simt.activate` puts the simulated device in place. (PYTEST_DONT_REWRITE: there is no assertion here.)
"""

pytest_plugins = ("grader.simt.pytest_plugin",)  # read by pytest when it is given `-p grader.simt`
