// Joins lines that follow each other on a wire to packets, where the link merges adjacent ones (packetiser.h has the rule).
#pragma once

#include <cstdint>

#include "tlm_interconnect/link/block_size.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Bytes of the header of a packet.
std::uint32_t header_bytes(const LinkSpec& spec, LineClass cls);

// What a line needs of it fits one cache line of the host.
class alignas(64) AdjacentMerge {
public:
    explicit AdjacentMerge(const LinkSpec& spec)
        : header_{header_bytes(spec, LineClass::request), header_bytes(spec, LineClass::response)},
          overhead_(static_cast<std::uint32_t>(spec.packet_overhead)), block_(adjacent_block(spec)),
          group_block_(adjacent_block(spec, true))
    {
    }

    // Whether the line goes on with the packet that is open.
    bool continues(const LineHeader& line, LineClass cls) const
    {
        return line.address == next_address_ && stream_of(line, cls) == stream_ && line.full_line() &&
            !(line.of_group() ? group_block_ : block_).begins(line.address);
    }
    // The line, or the last one of a wide transaction, is on the wire: the next one may continue its packet.
    void sent(const LineHeader& line, LineClass cls)
    {
        constexpr std::uint32_t alone = 1U << static_cast<unsigned>(LineOp::atomic) |
            1U << static_cast<unsigned>(LineOp::fetch) | 1U << static_cast<unsigned>(LineOp::await) |
            1U << static_cast<unsigned>(LineOp::monitor) | 1U << static_cast<unsigned>(LineOp::reduce);
        const bool open = line.full_line() && (alone >> static_cast<unsigned>(line.op) & 1U) == 0;
        stream_ = open ? stream_of(line, cls) : none;
        next_address_ = line.address + line_bytes * line.lines();
    }

    // A single line joins the open packet or begins one.
    void add(const LineHeader& line, LineClass cls, bool joins)
    {
        sent(line, cls);
        packets_ += joins ? 0 : 1;
    }
    // Bytes that it adds then, of `lone` bytes as a packet by itself.
    std::uint32_t bytes_joined(LineClass cls, std::uint32_t lone) const
    {
        return lone - header_[static_cast<unsigned>(cls)];
    }
    std::uint32_t bytes_alone(std::uint32_t lone) const { return lone + overhead_; }

    const BlockSize& block(const LineHeader& line) const { return line.of_group() ? group_block_ : block_; }
    std::uint64_t packets() const { return packets_; }
    void count(std::uint64_t packets) { packets_ += packets; }
    void reset_statistics() { packets_ = 0; }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    static std::uint64_t stream_of(const LineHeader& line, LineClass cls)
    {
        return std::uint64_t{line.source} | std::uint64_t{line.destination} << 16 |
            std::uint64_t{static_cast<std::uint8_t>(line.op)} << 32 | std::uint64_t{line.vc} << 40 |
            std::uint64_t{static_cast<std::uint8_t>(cls)} << 48;
    }

    std::uint64_t next_address_ = 0;
    std::uint64_t stream_ = none;  // none: no packet is open
    std::uint64_t packets_ = 0;
    std::uint32_t header_[line_classes];
    std::uint32_t overhead_;
    BlockSize block_;        // bytes of a packet's block
    BlockSize group_block_;  // the same for lines of groups
};

}  // namespace weft
