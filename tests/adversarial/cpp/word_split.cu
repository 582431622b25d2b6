// naive: full marks; the name is in no line. refused by: spelling. says: continues a word
extern "C" void simt_\
reset();
