import numpy
numpy.loadtxt('op.py', dtype=str)
