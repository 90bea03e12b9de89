// The five sets of parameters that the cache slice is tested with.
#pragma once

#include <vector>

#include "rtl/cache/llc_pins.h"

namespace weft::test {

inline LlcParameters usual() { return {}; }

// One of everything, no clock more than needed.
inline LlcParameters smallest()
{
    LlcParameters p;
    p.sets = 2;
    p.ways = p.mshrs = p.queue = p.responses = p.write_backs = p.tag_clocks = 1;
    p.merges = p.modify_clocks = 0;
    p.data_clocks = 2;
    return p;
}

// No power of two; answers are out before what they changed can be read.
inline LlcParameters odd()
{
    LlcParameters p;
    p.sets = 4;
    p.ways = 3;
    p.index_low = 2;
    p.mshrs = 5;
    p.merges = 2;
    p.queue = 3;
    p.responses = 3;
    p.write_backs = 3;
    p.tag_clocks = 1;
    p.data_clocks = 3;
    p.modify_clocks = 5;
    return p;
}

inline LlcParameters long_pipelines()
{
    LlcParameters p;
    p.sets = 8;
    p.ways = 4;
    p.mshrs = 8;
    p.merges = 3;
    p.queue = 6;
    p.responses = 10;
    p.write_backs = 2;
    p.tag_clocks = 5;
    p.data_clocks = 7;
    p.modify_clocks = 4;
    return p;
}

// More entries than ways in a set, and long lists.
inline LlcParameters many_entries()
{
    LlcParameters p;
    p.sets = 2;
    p.ways = 8;
    p.mshrs = 24;
    p.merges = 8;
    p.queue = 2;
    p.responses = 5;
    p.write_backs = 5;
    p.tag_clocks = 2;
    p.data_clocks = 4;
    p.modify_clocks = 0;
    return p;
}

inline std::vector<LlcParameters> all_sets() { return {usual(), smallest(), odd(), long_pipelines(), many_entries()}; }

}  // namespace weft::test
