// A program of somebody else that uses a library of Weft. Unused variables are its own business.
#include <cstdio>

#include "base/units.h"

int main()
{
    int unused = 0;
    std::puts(weft::format_bytes(65536).c_str());
}
