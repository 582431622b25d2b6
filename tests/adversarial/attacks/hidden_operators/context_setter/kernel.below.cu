namespace at { struct Context { void setDeterministicAlgorithms(bool, bool); }; Context& globalContext(); }
void change() { at::globalContext().setDeterministicAlgorithms(true, false); }
