// naive: full marks; settings of the next call. refused by: symbols. says: uses `at::Context::setDeterministicAlgorithms
namespace at { struct Context { void setDeterministicAlgorithms(bool, bool); }; Context& globalContext(); }
void change() { at::globalContext().setDeterministicAlgorithms(true, false); }
