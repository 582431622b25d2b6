from torch import nn
layers = nn
