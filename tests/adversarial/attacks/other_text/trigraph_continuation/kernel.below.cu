// what is this ??/
extern "C" void simt_reset();
