// The standard library on the host: containers, algorithms, text, optional, variant.
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <torch/library.h>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct Shape {
    std::vector<int64_t> sizes;
    std::optional<int64_t> rows() const { return sizes.empty() ? std::nullopt : std::optional(sizes.front()); }
};

std::string described(const Shape& shape) {
    std::ostringstream text;
    text << '[';
    for (size_t i = 0; i < shape.sizes.size(); ++i) text << (i ? ", " : "") << shape.sizes[i];
    text << ']' << std::boolalpha << true << 1.5 << std::endl;
    std::string upper = text.str();
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    return upper + std::to_string(shape.sizes.size()) + std::to_string(0.5f);
}

int64_t number(const std::string& text) {
    int64_t value = 0;
    std::istringstream in(text);
    if (!(in >> value)) throw std::invalid_argument("not a number: " + text);
    return value + std::stoll("1") + static_cast<int64_t>(std::stod("0.5"));
}

at::Tensor plan(const at::Tensor& x, const std::string& mode) {
    static const std::unordered_map<std::string, int> modes{{"sum", 0}, {"mean", 1}};
    const auto found = modes.find(mode);
    TORCH_CHECK_VALUE(found != modes.end(), "mode must be sum or mean, but is ", mode);
    const Shape shape{{x.sizes().begin(), x.sizes().end()}};
    std::map<int64_t, std::string> names{{1, "one"}};
    std::set<int64_t> distinct(shape.sizes.begin(), shape.sizes.end());
    std::unordered_set<int64_t> hashed(distinct.begin(), distinct.end());
    std::deque<int64_t> queue(shape.sizes.begin(), shape.sizes.end());
    std::vector<int64_t> order(shape.sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shape.sizes[a] < shape.sizes[b]; });
    std::sort(queue.begin(), queue.end(), std::greater<>());
    const int64_t n = std::accumulate(shape.sizes.begin(), shape.sizes.end(), int64_t{1}, std::multiplies<>());
    std::variant<int64_t, std::string> either = n;
    std::function<int64_t(int64_t)> round_up = [](int64_t v) { return (v + 31) / 32 * 32; };
    auto shared = std::make_shared<Shape>(shape);
    if (shared.use_count() > 1) std::cerr << described(*shared) << number("3") << '\n';
    names[n] = described(shape);
    std::array<char, 32> digits{};
    std::to_chars(digits.data(), digits.data() + digits.size(), n);
    std::string_view view(names.begin()->second);
    if (view.find("one") == std::string_view::npos || std::strlen(digits.data()) > 20) std::cout << view;
    return at::zeros({round_up(std::get<int64_t>(either))}, x.options());
}

}  // namespace

TORCH_LIBRARY(mine, m) { m.def("plan(Tensor x, str mode) -> Tensor", &plan); }
