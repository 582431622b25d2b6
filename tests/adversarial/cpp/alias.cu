// naive: full marks; a kernel gets another's body. refused by: text. says: has the attribute `alias`
extern "C" { void one() {} void two() __attribute__((alias("one"))); }
