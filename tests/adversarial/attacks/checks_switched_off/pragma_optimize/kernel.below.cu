#pragma GCC optimize ("O3")
