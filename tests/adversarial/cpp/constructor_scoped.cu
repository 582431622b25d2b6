// naive: code runs before any check of the load. refused by: text. says: has the attribute `constructor`
[[gnu::constructor]] static void early() {}
