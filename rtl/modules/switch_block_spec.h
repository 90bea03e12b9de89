// What a switch's parameters mean for the clocked switch.
#pragma once

#include <vector>

#include "rtl/switch/switch_pins.h"
#include "tlm_interconnect/switch_spec.h"
#include "tlm_interconnect/virtual_channel.h"

namespace weft {

// Channels of a fabric as the block numbers them: those that links have, in order.
struct BlockChannels {
    std::uint8_t slot_of[max_vcs] = {};
    std::vector<std::uint8_t> vcs;
};

// `space[p]`: what the far end of port p can hold; the same room is behind its input. Throws InputError for what the block
// cannot be: several lanes, credits that channels share, ports whose channels differ, parameters of other models.
SwitchBlockParameters block_parameters(const SwitchSpec& spec, const std::vector<BufferSpace>& space, BlockChannels& channels);

}  // namespace weft
