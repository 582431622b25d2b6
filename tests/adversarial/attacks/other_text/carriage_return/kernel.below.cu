// commentasm("nop");
