// naive: full marks; a comment opens where a reader sees a division. refused by: spelling. says: continues a word
int one = 1 /\
* 2; int two = 3 */ 2;
