// naive: full marks; the pasted name is in no text. refused by: spelling. says: has the digraph `%:`
#define JOIN(a, b) a %:%: b
extern "C" void JOIN(simt_, reset)();
