// Takes the lines of one port off the pins of a block.
//
// In each clock: drive(), the block's outputs settle, sample(); then the clock rises.
#pragma once

#include <memory>
#include <string>

#include "rtl/dut/channels/stream_pins.h"

namespace weft {

class LineSink {
public:
    virtual ~LineSink() = default;

    // `room`: a bit for each channel of which a further line can be taken.
    virtual void drive(unsigned room) = 0;

    struct Sample {
        bool moved = false;
        bool done = false;  // `line` is whole; fields without pins are as they were
    };
    virtual Sample sample(LineOnPins& line) = 0;
    // The line that was whole in this clock is that of transaction `line`.
    virtual void accepted(const void* /*line*/) {}
    // A line of `channel` that was taken has gone on.
    virtual void freed(unsigned /*channel*/) {}
    // The block has to be clocked further to learn what is free again.
    virtual bool owes() const { return false; }
    // After a run: what has come out in part; empty: nothing.
    virtual std::string unsettled() const { return {}; }
    const std::string& problem() const { return problem_; }

protected:
    void fail(std::string what)
    {
        if (problem_.empty()) problem_ = std::move(what);
    }

private:
    std::string problem_;
};

std::unique_ptr<LineSink> make_sink(const MapStream& stream, const StreamPins& pins, unsigned channels);

}  // namespace weft
