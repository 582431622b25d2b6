// naive: full marks; an operator that nothing logs. refused by: symbols. says: uses `at::_ops::mul_Tensor::redispatch
namespace c10 { struct DispatchKeySet; } namespace at { class Tensor;
namespace _ops { struct mul_Tensor { static void redispatch(const c10::DispatchKeySet&, const Tensor&); }; } }
void work(const c10::DispatchKeySet& keys, const at::Tensor& a) { at::_ops::mul_Tensor::redispatch(keys, a); }
