namespace c10 {
struct DispatchKeySet {
    unsigned long bits;
};
}
namespace at {
class Tensor;
namespace _ops {
struct mul__Tensor {
    static Tensor& redispatch(c10::DispatchKeySet, Tensor&, const Tensor&);
};
}
}
void work(at::Tensor& a, const at::Tensor& b) { at::_ops::mul__Tensor::redispatch({0}, a, b); }
