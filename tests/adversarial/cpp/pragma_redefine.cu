// naive: full marks; a harmless name becomes another. refused by: text. says: has `#pragma redefine_extname
#pragma redefine_extname harmless dlsym
extern "C" void* harmless(void*, const char*);
