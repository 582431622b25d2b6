// naive: full marks; the bytes are read as other letters. refused by: spelling. says: is not UTF-8
int état;
