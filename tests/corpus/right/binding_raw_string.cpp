// A schema in a raw string over several lines, digit separators, attributes, nested namespaces.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

namespace course::ops::inline v1 {

[[nodiscard]] constexpr int64_t limit() noexcept { return 1'000'000; }

[[maybe_unused]] static at::Tensor keep(const at::Tensor& x) {
    if (x.numel() > limit()) [[unlikely]] TORCH_CHECK(false, R"(too "large": a \ and a %: are text here)");
    return at::empty_like(x);
}

}  // namespace course::ops::inline v1

TORCH_LIBRARY(mine, m) {
    m.def(R"schema(
        keep(Tensor x) -> Tensor
    )schema", &course::ops::keep);
}
