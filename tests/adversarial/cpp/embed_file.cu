// naive: another submission's text as data. refused by: text. says: has `#embed
const unsigned char secret[] = {
#embed "/etc/passwd"
};
