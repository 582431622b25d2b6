"""Right gradients: gradcheck and cotangents against float64 autograd."""
