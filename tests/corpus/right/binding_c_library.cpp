// C habits on the host: snprintf, malloc, qsort, errno-free parsing.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <torch/library.h>

static int ascending(const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

static at::Tensor blocks(const at::Tensor& x) {
    char text[64];
    std::snprintf(text, sizeof text, "%lld elements", static_cast<long long>(x.numel()));
    int* order = static_cast<int*>(std::malloc(4 * sizeof(int)));
    TORCH_CHECK(order != nullptr && std::strcmp(text, "0 elements") != 0, text);
    for (int i = 0; i < 4; ++i) order[i] = static_cast<int>(std::strtol("7", nullptr, 10)) - i;
    std::qsort(order, 4, sizeof(int), ascending);
    std::free(order);
    const clock_t begin = std::clock();
    std::printf("%s %ld\n", text, static_cast<long>(std::clock() - begin));
    std::fflush(stdout);
    return at::empty_like(x);
}

TORCH_LIBRARY(mine, m) { m.def("blocks(Tensor x) -> Tensor", &blocks); }
