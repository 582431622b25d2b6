[[gnu::constructor]] static void early() {}
