// naive: full marks; for a lexer the rest is a comment. refused by: spelling. says: in a header's name
#if __has_include(<x/*>)
#endif
asm("nop");
// */
