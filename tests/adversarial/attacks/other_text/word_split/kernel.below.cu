extern "C" void simt_\
reset();
