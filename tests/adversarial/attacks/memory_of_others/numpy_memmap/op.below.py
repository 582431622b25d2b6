import numpy as np
np.memmap("/proc/self/mem")
