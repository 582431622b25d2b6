#pragma redefine_extname harmless dlsym
extern "C" void* harmless(void*, const char*);
