// naive: full marks; a copy in a kernel that is not counted. refused by: symbols. says: uses `wmemcpy
extern "C" wchar_t* wmemcpy(wchar_t*, const wchar_t*, unsigned long);
__global__ void copy(wchar_t* to, const wchar_t* from) { wmemcpy(to, from, 256); }
