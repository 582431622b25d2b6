#pragma weak launch = other
