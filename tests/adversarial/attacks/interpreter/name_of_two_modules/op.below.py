import torch as m
import math as m
m.load(0)
