// naive: full marks where a build asks for trigraphs. refused by: spelling. says: has a trigraph
??=include <dlfcn.h>
