// naive: full marks. refused by: spelling. says: in the next line
#inc\
lude <dlfcn.h>
