// naive: full marks; the comment ends here for one reader. refused by: spelling. says: has a control character
// commentasm("nop");
