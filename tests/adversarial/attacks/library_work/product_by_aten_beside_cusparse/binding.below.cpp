namespace {
at::Tensor by_aten(const at::Tensor& x, const at::Tensor& weight) {
    return at::matmul(x, weight);
}
}  // namespace

TORCH_LIBRARY_FRAGMENT(graph_layer, m) {
    m.def("by_aten(Tensor x, Tensor weight) -> Tensor", &by_aten);
}
