// Parameters and pins of the in-fabric reduction unit (weft_group_unit.sv).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl/common/line_bits.h"

namespace weft {

struct ReductionParameters {
    unsigned members = 8;   // of a group, at most; 1..64
    unsigned groups = 4;    // numbers 0xfc00 and up; 1..1024
    unsigned contexts = 4;  // operations in progress; 1..64
    unsigned slots = 16;    // requests that wait: credits of their channel; 1..64
    unsigned ports = 4;     // of the switch, without the unit's own; 1..64
    unsigned vcs = 4;       // 2..16
    unsigned vc_read = 0;   // channel of reads of members
    unsigned vc_write = 1;  // of writes to members
    unsigned vc_group = 2;  // of requests to groups
    unsigned vc_response = 3;

    // Throws InputError.
    void check() const;
};

// What is on the pins in one clock. Fields of a line or of a group count only with their `valid`.
struct ReductionIn {
    bool valid = false;
    std::uint8_t vc = 0;
    std::uint8_t port = 0;  // of the switch, that the line came in by
    LineBits line = {};
    std::uint32_t out_ready = 0;  // by channel: a line of it can be taken in this clock
    bool cfg_valid = false;
    std::uint16_t cfg_group = 0;                    // number beyond 0xfc00
    std::uint8_t cfg_type = 0;                      // ElementType
    std::uint8_t cfg_op = 0;                        // ReduceOp
    std::vector<std::uint8_t> cfg_members = {};     // port of each member, in the order of combination
    std::vector<std::uint16_t> cfg_endpoints = {};  // endpoint of each
};

struct ReductionOut {
    std::uint32_t credit = 0;  // by channel
    bool valid = false;
    std::uint8_t vc = 0;
    std::uint64_t ports = 0;  // mask; a copy for each
    LineBits line = {};
    bool idle = true;
};

bool operator==(const ReductionOut& a, const ReductionOut& b);
inline bool operator!=(const ReductionOut& a, const ReductionOut& b) { return !(a == b); }

// The first field that differs, with both values; empty: none does.
std::string difference(const ReductionOut& expected, const ReductionOut& got);

}  // namespace weft
