// naive: full marks; memory counts as written by a kernel. refused by: text. says: belongs to the simulated GPU
extern "C" void simt_mark_written(void*, unsigned long);
void mark(void* x) { simt_mark_written(x, 4); }
