op.bias_softmax = reference
