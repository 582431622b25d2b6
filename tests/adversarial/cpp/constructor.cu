// naive: code runs before any check of the load. refused by: text. says: has the attribute `constructor`
__attribute__((constructor)) static void early() {}
