// naive: full marks; every loaded library can be found from it. refused by: symbols. says: uses `_r_debug
extern "C" { extern char _r_debug[]; }
void* libraries() { return _r_debug; }
