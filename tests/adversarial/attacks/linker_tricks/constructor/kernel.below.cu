__attribute__((constructor)) static void early() {}
