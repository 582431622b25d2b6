# A file as an array.
# A naive grader gives full marks. Refused here: uses `numpy.memmap`
import numpy as np
np.memmap("/proc/self/mem")
