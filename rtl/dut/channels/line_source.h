// Puts the lines of one port on the pins of a block.
//
// In each clock: begin() if there is a line and takes() its channel, drive(), the block's outputs settle, sample(); then
// the clock rises.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rtl/dut/channels/stream_pins.h"

namespace weft {

class LineSource {
public:
    virtual ~LineSource() = default;

    // Whether a line of `channel` can begin in this clock.
    virtual bool takes(unsigned channel) const = 0;
    // Throws InputError where a value does not fit its pins.
    virtual void begin(const LineOnPins& line) = 0;
    virtual void drive() = 0;

    struct Sample {
        bool moved = false;  // something has passed
        bool done = false;   // the line is inside with this clock
    };
    virtual Sample sample() = 0;
    virtual bool busy() const = 0;  // a line is on the pins
    // Beats of a line with this header, and bytes of a beat.
    virtual unsigned beats(const LineBits& header) const = 0;
    virtual unsigned beat_bytes() const = 0;
    // Whether nothing is left to pass between us and the block: credits that are not back, answers to posted writes.
    virtual bool settled() const { return true; }
    // After a run: what has not; empty: nothing. `names`: of the channels.
    virtual std::string unsettled(const std::vector<std::string>& /*names*/) const { return {}; }
    // What the block did wrong first; empty: nothing.
    const std::string& problem() const { return problem_; }

protected:
    void fail(std::string what)
    {
        if (problem_.empty()) problem_ = std::move(what);
    }

private:
    std::string problem_;
};

// `channels`: of the fabric.
std::unique_ptr<LineSource> make_source(const MapStream& stream, const StreamPins& pins, unsigned channels);

}  // namespace weft
