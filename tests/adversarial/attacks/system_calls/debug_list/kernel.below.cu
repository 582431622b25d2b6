extern "C" { extern char _r_debug[]; }
void* libraries() { return _r_debug; }
