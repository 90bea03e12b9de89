// Parameters and pins of a last-level cache slice (weft_llc_slice.sv).
#pragma once

#include <cstdint>
#include <string>

#include "rtl/common/line_bits.h"

namespace weft {

struct LlcParameters {
    std::uint32_t sets = 64;          // power of two, 2 .. 65536
    std::uint32_t ways = 16;          // 1 .. 64
    std::uint32_t index_low = 0;      // bits of a line's number below those that choose its set, 0 .. 16
    std::uint32_t mshrs = 16;         // 1 .. 256
    std::uint32_t merges = 4;         // requests that may join an entry, 0 .. 255
    std::uint32_t queue = 4;          // requests taken and not yet looked at, 1 .. 256
    std::uint32_t responses = 4;      // answers under way, 1 .. 256
    std::uint32_t write_backs = 4;    // lines on their way back to memory, 1 .. 256
    std::uint32_t tag_clocks = 2;     // from a request to its look, 1 .. 64
    std::uint32_t data_clocks = 3;    // from the look to the answer, 2 .. 64
    std::uint32_t modify_clocks = 1;  // more from a modified line to one that can be read, 0 .. 64

    // Throws InputError for a value out of its range.
    void check() const;

    // Clocks from a request to its answer.
    std::uint32_t hit_latency() const { return tag_clocks + data_clocks; }
    // The same where memory takes `memory` clocks from a read on its pins to the line being taken.
    std::uint32_t miss_latency(std::uint32_t memory) const { return tag_clocks + 1 + memory + data_clocks; }
    // Clocks from one atomic to the next of the same line.
    std::uint32_t atomic_interval() const { return 1 + modify_clocks; }
};

struct LlcIn {
    bool req_valid = false;  // once valid, neither it nor `req` changes until it is taken
    LineBits req = {};
    bool resp_ready = false;
    bool mem_read_ready = false;
    bool mem_write_ready = false;
    bool mem_resp_valid = false;  // as req_valid
    LineBits mem_resp = {};       // tag of the read, data
    bool flush = false;           // write back all that is dirty; hold until `flushed`
    std::uint16_t endpoint = 0;   // whose memory this is; constant
};

struct LlcOut {
    bool req_ready = false;
    bool resp_valid = false;
    bool mem_read_valid = false;
    bool mem_write_valid = false;
    bool mem_resp_ready = false;
    bool flushed = false;
    bool hit = false;  // counters: one clock for each, the clock after the look
    bool miss = false;
    bool merged = false;
    bool write_back = false;
    bool idle = false;
    // Each holds while the pin before it is valid, and is anything otherwise.
    LineBits resp = {};
    LineBits mem_read = {};
    LineBits mem_write = {};
};

// The first pin in which two clocks differ, as "hit: expected 1, got 0"; empty: none.
std::string difference(const LlcOut& expected, const LlcOut& got);

}  // namespace weft
