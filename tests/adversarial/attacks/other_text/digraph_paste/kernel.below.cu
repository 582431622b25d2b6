#define JOIN(a, b) a %:%: b
extern "C" void JOIN(simt_, reset)();
