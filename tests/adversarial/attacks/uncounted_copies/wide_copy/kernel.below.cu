extern "C" wchar_t* wmemcpy(wchar_t*, const wchar_t*, unsigned long);
__global__ void copy(wchar_t* to, const wchar_t* from) { wmemcpy(to, from, 256); }
