// naive: full marks; the comment swallows the next line for one reader. refused by: spelling. says: has a trigraph
// what is this ??/
extern "C" void simt_reset();
