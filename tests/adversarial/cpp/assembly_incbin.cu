// naive: any file as data. refused by: text. says: is assembly
asm(".incbin \"/etc/passwd\"");
