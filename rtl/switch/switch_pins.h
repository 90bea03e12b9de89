// Parameters and pins of the switch (weft_switch.sv), for the block and for its reference model.
//
// Inputs, outputs: `ports` of each; channels: `vcs`. Masks have bit p for port p, bit v for channel v. What
// belongs to a line (channel, ports, data) counts where its valid bit is set and may be anything elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl/common/line_bits.h"

namespace weft {

struct SwitchBlockParameters {
    unsigned ports = 4;        // 1 to 64
    unsigned vcs = 4;          // 1 to 16
    unsigned depth = 8;        // lines of a channel that an input holds, 1 to 1023
    unsigned max_credits = 8;  // largest of `credits`, 1 to 1023
    unsigned width = 640;      // bits of a line, whole bytes, 8 to 640
    unsigned latency = 1;      // clocks from entry to the first matching, 1 to 1023
    unsigned traversal = 1;    // clocks from the matching to the output, 0 to 1023
    unsigned iterations = 1;   // of the matching, 1 to 16
    bool islip = true;         // false: plain round robin
    bool one_queue = false;    // one queue for each input: its head blocks the rest
    // Lines that whoever follows holds: [output * vcs + channel]; 0: the output has no such channel. Empty:
    // max_credits everywhere. Pins of the block, sampled in reset.
    std::vector<std::uint16_t> credits;

    unsigned credits_of(unsigned output, unsigned vc) const
    {
        return credits.empty() ? max_credits : credits[output * vcs + vc];
    }
    // Throws InputError.
    void check() const;
};

// One clock. A driver must not make it depend on outputs of the same clock.
struct SwitchIn {
    explicit SwitchIn(const SwitchBlockParameters& parameters)
        : vc(parameters.ports), ports(parameters.ports), data(parameters.ports), credit(parameters.ports)
    {
    }

    std::uint64_t valid = 0;            // inputs at which a line enters
    std::vector<std::uint8_t> vc;       // by input
    std::vector<std::uint64_t> ports;   // by input: the outputs that the line goes to; several: multicast
    std::vector<LineBits> data;         // by input
    std::uint64_t ready = 0;            // outputs that may match: the wire will be free when the line is there
    std::vector<std::uint16_t> credit;  // by output: channels of which one slot behind it is free again
};

struct SwitchOut {
    explicit SwitchOut(const SwitchBlockParameters& parameters)
        : credit_vc(parameters.ports), vc(parameters.ports), data(parameters.ports)
    {
    }

    std::uint64_t credit_valid = 0;       // inputs at which a slot is free again
    std::vector<std::uint8_t> credit_vc;  // by input
    std::uint64_t valid = 0;              // outputs on which there is a line
    std::vector<std::uint8_t> vc;         // by output
    std::vector<LineBits> data;           // by output; bytes from `width` on are 0
    bool idle = true;                     // nothing was inside and nothing entered
};

// The first pin that differs, as "out_vc[3]: expected 1, got 2"; empty: none does.
std::string difference(const SwitchOut& expected, const SwitchOut& got);

}  // namespace weft
