#include <thrust/transform.h>
