// naive: full marks; dlsym under another name. refused by: text. says: has the attribute `weakref`
static void* harmless(void*, const char*) __attribute__((weakref("dlsym")));
