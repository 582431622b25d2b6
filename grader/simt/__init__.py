"""The backend that needs no GPU: CUDA's programming model on the CPU, under an unmodified PyTorch.

`python -m grader.simt script.py` runs a program on it; `grader.simt.activate` puts the simulated device in
place.
"""
