asm(".incbin \"/etc/passwd\"");
