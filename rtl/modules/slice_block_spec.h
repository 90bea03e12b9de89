// The block that stands for an L2 slice, from the parameters of the L2. Without SystemC.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "rtl/cache/llc_pins.h"
#include "sc_models/l2/l2_spec.h"

namespace weft {

struct SliceBlockSpec {
    LlcParameters block;
    std::uint64_t clock = 0;  // ps
    std::uint64_t rest = 0;   // ps of l2.latency beyond the clocks of a hit: a wire behind the answers
};

// l2.merges = 0, any number, is this many.
constexpr std::uint32_t slice_block_merges = 15;
// Numbers of lines in a slice; those above are for lines whose memory was released and is used again.
constexpr unsigned slice_number_bits = 34;

// Of the L2, by their names.
class SliceBlockRefused : public InputError {
public:
    SliceBlockRefused(std::string what, std::string expected, std::vector<const char*> of)
        : InputError("", 0, std::move(what), std::move(expected)), parameters(std::move(of))
    {
    }

    std::vector<const char*> parameters;  // that stand in the way
};

// Throws InputError for an L2 that is none of such blocks; the error names all that stands in the way.
SliceBlockSpec slice_block_spec(const L2Spec& spec);

}  // namespace weft
