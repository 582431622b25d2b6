extern "C" void __tsan_write4(void*) {}
