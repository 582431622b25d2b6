extern "C" void simt_mark_written(void*, unsigned long);
void mark(void* x) { simt_mark_written(x, 4); }
