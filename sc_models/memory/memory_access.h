// The effect of a data request on memory, and its response.
#pragma once

#include <cstring>

#include "sc_models/memory/memory_image.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// `sector`: the 64 bytes that the line is of or in.
inline void access_sector(std::uint8_t* sector, Line& line)
{
    std::uint8_t* const at = sector + line.address % line_bytes;
    if (line.op == LineOp::read) {
        std::memcpy(line.data(), at, line.size);
    } else if (line.op == LineOp::write) {
        std::memcpy(at, line.data(), line.size);
    } else {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        const std::uint64_t result = result_of(line.function, word, line.operand(), line.comparand());
        std::memcpy(at, &result, sizeof result);
        line.set_operand(word);
    }
}

// The same where one image holds what all caches and DRAM would.
inline void access_data(MemoryImage& image, Line& line)
{
    if (!image.data_on()) return;
    const std::uint64_t local = local_of(line.address);
    if (line.op == LineOp::read) {
        image.read(local, line.data(), line.size);
    } else if (line.op == LineOp::write) {
        image.write(local, line.data(), line.size);
    } else {
        std::uint64_t word = 0;
        image.read(local, reinterpret_cast<std::uint8_t*>(&word), sizeof word);
        const std::uint64_t result = result_of(line.function, word, line.operand(), line.comparand());
        image.write(local, reinterpret_cast<const std::uint8_t*>(&result), sizeof result);
        line.set_operand(word);
    }
}

// Packets are there from the turn of their store on; a load that finds them all comes back without the flag.
inline void find_packets(MemoryImage& image, Line& line)
{
    const std::uint64_t local = local_of(line.address);
    if (line.op == LineOp::write) {
        image.packets_came(local, line.size);
    } else if (!image.packets_there(local, line.size)) {
        line.mark(LineHeader::missing_mark);
    }
}

inline void access_packets(MemoryImage& image, Line& line)
{
    find_packets(image, line);
    access_data(image, line);
}

}  // namespace weft
