// How much a test that draws or enumerates its cases does: all of them with `./weft test --all`, which sets WEFT_TEST_ALL.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace weft::test {

inline bool thorough() { return std::getenv("WEFT_TEST_ALL") != nullptr; }

// How many seeds, clocks or cases of one kind: what finds a fault without delay, each time; what is left for rare ones is for
// runs with --all. `few` still meets every corner that the test counts.
inline std::uint64_t by_default(std::uint64_t few, std::uint64_t all) { return thorough() ? all : few; }

}  // namespace weft::test
