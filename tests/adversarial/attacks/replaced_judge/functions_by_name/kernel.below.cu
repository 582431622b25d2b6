extern "C" void* dlsym(void*, const char*);
void* find() { return dlsym(nullptr, "x"); }
