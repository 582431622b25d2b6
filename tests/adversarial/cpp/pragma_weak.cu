// naive: full marks; a name of others is defined here. refused by: text. says: has `#pragma weak
#pragma weak launch = other
