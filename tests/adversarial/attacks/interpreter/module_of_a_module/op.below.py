from torch.nn.functional import torch as other
