namespace c10 {
class Scalar;
}
namespace at {
class Tensor;
namespace native {
Tensor& mul_(Tensor&, const c10::Scalar&);
}
}
void work(at::Tensor& a, const c10::Scalar& b) { at::native::mul_(a, b); }
