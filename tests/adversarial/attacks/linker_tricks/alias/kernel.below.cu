extern "C" { void one() {} void two() __attribute__((alias("one"))); }
