static void* harmless(void*, const char*) __attribute__((weakref("dlsym")));
