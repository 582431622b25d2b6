extern "C" int cuMemGetAddressRange_v2(unsigned long long*, unsigned long*, unsigned long long);
int look(unsigned long long at) {
    unsigned long long base = 0;
    unsigned long bytes = 0;
    return cuMemGetAddressRange_v2(&base, &bytes, at);
}
