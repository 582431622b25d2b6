import numpy as np
view = np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 20,))
