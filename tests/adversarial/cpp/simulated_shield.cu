// naive: full marks; host code reaches device memory. refused by: text. says: belongs to the simulated GPU
extern "C" void simt_raise_shield();
void open() { simt_raise_shield(); }
