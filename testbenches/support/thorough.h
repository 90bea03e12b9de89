// How much a test that draws or enumerates its cases does: all of them with `./weft test --all`, which sets WEFT_TEST_ALL.
#pragma once

#include <cstdlib>

namespace weft::test {

inline bool thorough() { return std::getenv("WEFT_TEST_ALL") != nullptr; }

}  // namespace weft::test
