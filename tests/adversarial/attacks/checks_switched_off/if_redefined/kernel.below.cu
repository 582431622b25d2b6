#define if(x) if (true)
