from torch.utils import *
