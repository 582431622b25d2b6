// naive: full marks; the library does the work, below what is logged. refused by: symbols. says: uses `at::native::add
namespace at { class Tensor; namespace native { void add(const Tensor&, const Tensor&); } }
void work(const at::Tensor& a) { at::native::add(a, a); }
