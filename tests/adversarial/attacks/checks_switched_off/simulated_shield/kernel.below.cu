extern "C" void simt_raise_shield();
void open() { simt_raise_shield(); }
