// naive: full marks; code runs at each operator. refused by: text. says: uses `RecordFunctionCallback`
namespace at { struct RecordFunctionCallback { char bytes[64]; };
unsigned long addGlobalCallback(RecordFunctionCallback); }
unsigned long watch() { return at::addGlobalCallback({}); }
