#define OTHER aten
#define REGISTER(name) TORCH_LIBRARY_IMPL(fused_muladd, CUDA, name)
static void body(torch::Library&);
static const torch::detail::C10_CONCATENATE(TorchLibrary, Init)
    replaced(torch::C10_CONCATENATE(Libra, ry)::IMPL, &body, "aten", c10::DispatchKey::CUDA, "", 0);
static void body(torch::Library&) {}
