// A user's block behind its port map: verilated, clocked, reset, its streams ready for lines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rtl/dut/channels/line_sink.h"
#include "rtl/dut/channels/line_source.h"
#include "rtl/dut/port_map.h"
#include "rtl/verilated/verilated_block.h"

namespace weft {

struct DutShape {
    unsigned ports = 1;       // of the node
    unsigned channels = 1;    // of its links
    std::uint64_t clock = 1;  // ps, for clocks with the period switch.clock
    std::uint64_t seed = 1;   // of registers that no reset sets
    bool waves = false;       // waveforms may be asked for
};

// The shared library of the block for this shape: verilates `files` unless that is done. Throws InputError: RTL that
// Verilator refuses, a map that does not fit the pins.
std::string dut_library(const PortMap& map, const std::vector<std::string>& files, const DutShape& shape);

class DutBlock {
public:
    template <class Channel>
    struct Stream {
        unsigned port;
        unsigned stream;  // of the map
        StreamLines lines;
        unsigned clocks;  // a bit: that of its clock
        std::unique_ptr<Channel> channel;
    };
    using Source = Stream<LineSource>;
    using Sink = Stream<LineSink>;

    // Reset is over when it returns. Throws InputError where the map does not fit the shape.
    DutBlock(const PortMap& map, const std::string& library, const DutShape& shape, const std::string& path);

    std::vector<Source>& sources() { return sources_; }
    std::vector<Sink>& sinks() { return sinks_; }
    const std::vector<Source>& sources() const { return sources_; }
    const std::vector<Sink>& sinks() const { return sinks_; }

    // Clocks that rise at `time`, a bit for each.
    unsigned rising(std::uint64_t time) const;
    // The first time from `time` on at which a clock rises.
    std::uint64_t edge(std::uint64_t time) const;
    std::uint64_t longest_period() const;
    // Of the clock of a stream.
    template <class Channel>
    std::uint64_t period(const Stream<Channel>& stream) const
    {
        return clocks_[static_cast<std::size_t>(__builtin_ctz(stream.clocks))].period;
    }

    // A clock stands high from one of its edges to the next, until the inputs of that are known. arbitrate(), before the edges
    // at `time`: these inputs change, just after the edges before; then the clocks fall, and outputs settle. rise(): the edges.
    void settle(unsigned clocks, std::uint64_t time);
    void rise(unsigned clocks, std::uint64_t time);
    // After the last edge: all clocks fall.
    void fall(std::uint64_t time);
    bool has_idle() const { return static_cast<bool>(idle_); }
    bool idle() const { return idle_ && idle_.get(0, 1) == idle_value_; }
    bool failed() const { return block_.failed(); }
    std::string failure() const { return block_.failure(); }
    // Throws InputError at the first clock of the window where `shape` had no waves.
    void set_wave(const WaveWindow& window) { block_.set_wave(window); }

private:
    StreamPins bind(const MapStream& stream, unsigned port, unsigned ports) const;
    void bind_axi4(const MapStream& stream, unsigned number, unsigned clock, unsigned port, unsigned ports,
        unsigned channels);

    VerilatedBlock block_;
    struct Clock {
        Pin pin;
        std::uint64_t period;
    };
    void set(unsigned clocks, unsigned level);

    std::vector<Clock> clocks_;
    std::uint64_t last_edge_ = 0;
    Pin idle_;
    std::uint64_t idle_value_;
    std::vector<Source> sources_;
    std::vector<Sink> sinks_;
};

}  // namespace weft
