// The parameters of the clocked switch from those of a switch.
#pragma once

#include <vector>

#include "rtl/group_switch/group_switch_pins.h"
#include "tlm_interconnect/switch/switch_spec.h"
#include "tlm_interconnect/protocol/virtual_channel.h"

namespace weft {

// Operations on groups that the unit has in progress; a larger switch.group_contexts is this.
constexpr std::uint64_t most_block_contexts = 64;

// Channels of a fabric as the block numbers them: those that links have, in order.
struct BlockChannels {
    std::uint8_t slot_of[max_vcs] = {};
    std::vector<std::uint8_t> vcs;
};

// `space[p]`: what the far end of port p can hold; the same room is behind its input. Throws InputError for what the
// block cannot be: several VC sets, credits that channels share, ports whose channels differ, parameters of other
// models.
SwitchBlockParameters block_parameters(const SwitchSpec& spec, const std::vector<BufferSpace>& space,
    BlockChannels& channels);

// Whether the block can have a unit for operations on groups: it is asked for, and every class has a channel.
bool can_have_groups(const SwitchSpec& spec, const SwitchBlockParameters& block, const std::vector<BufferSpace>& space);
GroupSwitchParameters group_parameters(const SwitchSpec& spec, const SwitchBlockParameters& block,
    const BlockChannels& channels);

}  // namespace weft
