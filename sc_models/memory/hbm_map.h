// The location of a line in a GPU's DRAM: channel, bank, row.
//
// Consecutive lines of a channel go one to each bank group, so that a stream never waits for t_ccd_l; lines
// of a group fill a row, then the rows of the group's banks in turn. Channel (of a slice's own), group and
// bank are rotated by a hash of all digits above them, so that strides spread. A rotation does for any count
// of channels, bank groups and banks what an XOR with upper bits does for powers of two.
#pragma once

#include "base/divider.h"
#include "sc_models/memory/hbm_spec.h"

namespace weft {

struct HbmPlace {
    std::uint32_t channel;
    std::uint32_t bank;  // bank group x banks of a group + bank
    std::uint32_t row;
};

class HbmMap {
public:
    // `sector_shift`: log2 of the lines that a slice has under one tag and so in a row.
    HbmMap(const HbmSpec& spec, unsigned slices, unsigned sector_shift = 0);

    // Of line number `line` of the GPU's memory, asked for by `slice`. With at least as many slices as
    // channels, slice s uses channel s x channels / slices; otherwise it owns channels / slices of them.
    HbmPlace place(unsigned slice, std::uint64_t line) const
    {
        // The slice's own number of the line.
        std::uint64_t index =
            slices_.quotient(line >> sector_shift_) << sector_shift_ | (line & ((1U << sector_shift_) - 1));
        std::uint32_t channel = 0;
        if (sharing_ != 0) {
            channel = static_cast<std::uint32_t>(std::uint64_t{slice} * channels_ / slices_.divisor());
            index = index * sharing_ + slice % sharing_;
        } else {
            channel = slice * owned_.divisor() + rotated(index, owned_);
        }
        const std::uint32_t group = rotated(index, groups_);
        index = row_lines_.quotient(index);
        const std::uint32_t bank = rotated(index, banks_);
        return {channel, group * banks_.divisor() + bank, static_cast<std::uint32_t>(index)};
    }

    // How many channels a slice's lines are spread over.
    std::uint32_t channels_of_slice() const { return sharing_ != 0 ? 1 : owned_.divisor(); }

private:
    // Takes the lowest digit off `index` and returns it, rotated by what is left.
    static std::uint32_t rotated(std::uint64_t& index, const Divider& count)
    {
        const std::uint64_t above = count.quotient(index);
        const std::uint32_t digit = static_cast<std::uint32_t>(index - above * count.divisor());
        index = above;
        // Neighbours are rotated 0.38 of the count apart: the last of one round and the first of the next
        // differ.
        const std::uint32_t mixed = static_cast<std::uint32_t>(above ^ above >> 32) * 0x61c88647U;
        const std::uint32_t sum = digit + static_cast<std::uint32_t>(std::uint64_t{mixed} * count.divisor() >> 32);
        return sum >= count.divisor() ? sum - count.divisor() : sum;
    }

    Divider slices_;
    unsigned sector_shift_;
    std::uint32_t channels_;
    std::uint32_t sharing_;  // slices per channel, 0 when a slice owns channels
    Divider owned_;          // channels per slice
    Divider groups_;
    Divider row_lines_;
    Divider banks_;
};

}  // namespace weft
