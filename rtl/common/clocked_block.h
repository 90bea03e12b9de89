// The interface of a clocked block: a Verilated block behind its pins, or its reference model in C++.
//
// In and Out are plain structures of what is on the pins in one clock. cycle() is one clock: the outputs of this clock
// settle from the state and the inputs, then the clock rises. An output may depend on an input of the same clock;
// whoever drives the inputs must not make them depend on outputs of the same clock.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

template <class In, class Out>
class ClockedBlock {
public:
    using Inputs = In;
    using Outputs = Out;

    virtual ~ClockedBlock() = default;

    // As after reset.
    virtual void reset() = 0;
    virtual void cycle(const In& in, Out& out) = 0;
    // Further clocks without inputs would change nothing and put nothing on the outputs.
    virtual bool idle() const = 0;
    // Time of the next clock, ps: for waveforms.
    virtual void at(std::uint64_t /*ps*/) {}
    // Text beside the pins in waveforms: `signal` as the block was built with.
    virtual void note(unsigned /*signal*/, const std::string& /*text*/) {}
    // Whether there is a waveform that notes go into.
    virtual bool waving() const { return false; }
    // Whether an assertion of the block has failed, and what it said first.
    virtual bool failed() const { return false; }
    virtual std::string failure() const { return {}; }
};

}  // namespace weft
