// The fields that a compute unit keeps in the tag of a request, which identify the response.
#pragma once

#include <cstdint>

namespace weft {

// Every tag begins with the number of a unit.
constexpr unsigned tag_unit_shift = 22;
constexpr std::uint32_t tag_units = 1U << (32 - tag_unit_shift);
constexpr std::uint32_t unit_of_tag(std::uint32_t tag) { return tag >> tag_unit_shift; }

enum class LineUse : std::uint8_t { load, store, word, fetch };

// A load's register set and the number of its operand in 12 bits: a program whose moves have few sources leaves more of them to
// sets than one whose moves have many.
struct OperandCode {
    std::uint32_t source_bits = 8;

    static constexpr std::uint32_t bits = 12;
    static constexpr OperandCode of(std::uint32_t most_sources) { return {most_sources <= 256 ? 8U : 10U}; }

    std::uint32_t sets() const { return 1U << (bits - source_bits); }
    std::uint32_t packed(std::uint32_t set, std::uint32_t source) const { return set << source_bits | source; }
    std::uint32_t set(std::uint32_t code) const { return code >> source_bits; }
    std::uint32_t source(std::uint32_t code) const { return code & ((1U << source_bits) - 1); }
};

struct LineTag {
    std::uint32_t unit = 0;     // 10 bits
    std::uint32_t context = 0;  // 6: wavefront on the unit
    LineUse use = LineUse::load;
    std::uint32_t code = 0;   // 12: load: its OperandCode; word: number of the result
    std::uint32_t epoch = 0;  // 1: of a store; of a fetch: 1 if it is none, but a load of packets, tagged like a load

    std::uint32_t packed() const
    {
        return unit << tag_unit_shift | context << 16U | code << 4U | static_cast<std::uint32_t>(use) << 2U |
            epoch << 1U;
    }
    static LineTag of(std::uint32_t tag)
    {
        return {unit_of_tag(tag), tag >> 16U & 63U, static_cast<LineUse>(tag >> 2U & 3U), tag >> 4U & 0xfffU,
            tag >> 1U & 1U};
    }
};

// The same of a copy engine or a bulk copy engine. The unit is the one next to which it sits on the die; the lowest bit, which
// units leave 0, tells whose line it is.
enum class MoverUse : std::uint8_t { load, store, word };

struct MoverTag {
    std::uint32_t unit = 0;   // 10 bits
    std::uint32_t index = 0;  // 19: of the descriptor, or of the queue
    MoverUse use = MoverUse::load;

    static constexpr std::uint32_t indices = 1U << 19U;

    std::uint32_t packed() const
    {
        return unit << tag_unit_shift | index << 3U | static_cast<std::uint32_t>(use) << 1U | 1U;
    }
    static MoverTag of(std::uint32_t tag)
    {
        return {unit_of_tag(tag), tag >> 3U & (indices - 1), static_cast<MoverUse>(tag >> 1U & 3U)};
    }
    static bool is(std::uint32_t tag) { return (tag & 1U) != 0; }
};

// Numbers of transfers (Line::transfer), which units and DMA engines of a GPU count apart: one for each operand of each operation
// that they carry out. They repeat after two thousand million, when no network card remembers the first ones.
constexpr std::uint32_t transfer_numbers = (1U << 31U) - 1;
constexpr std::uint32_t unit_transfer(std::uint32_t count) { return count % transfer_numbers + 1; }
constexpr std::uint32_t mover_transfer(std::uint32_t count) { return 1U << 31U | count % transfer_numbers; }

// A sector on its way to the L1 of a unit: the cache's number of the fetch, 16 bits, in place of context and code.
inline std::uint32_t fetch_tag(std::uint32_t unit, std::uint32_t fetch)
{
    return unit << tag_unit_shift | fetch << 4U | static_cast<std::uint32_t>(LineUse::fetch) << 2U;
}
inline std::uint32_t fetch_of(std::uint32_t tag) { return tag >> 4U & 0xffffU; }

}  // namespace weft
