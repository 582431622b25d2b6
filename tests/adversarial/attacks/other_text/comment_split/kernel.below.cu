int one = 1 /\
* 2; int two = 3 */ 2;
