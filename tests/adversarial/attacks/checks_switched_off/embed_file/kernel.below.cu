const unsigned char secret[] = {
#embed "/etc/passwd"
};
