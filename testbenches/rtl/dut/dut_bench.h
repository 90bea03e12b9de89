// Random lines through a block behind its map, each port and channel to itself; no system around it.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "rtl/dut/dut_block.h"

namespace weft::dut_test {

std::string block_file(const std::string& name);

class DutBench {
public:
    // The block echoes: what goes in at a port comes out at the same port and channel, in order.
    DutBench(const std::string& map, const std::string& file, const DutShape& shape, std::uint64_t seed = 1);

    // `load`: of clocks in which a port has a line to send; `room`: of clocks in which a channel has room behind a port.
    void run(unsigned clocks, double load, double room);
    // Nothing more goes in, all may come out.
    void drain(unsigned clocks) { run(clocks, 0, 1); }

    std::uint64_t sent() const { return sent_; }
    std::uint64_t received() const { return received_; }
    // Clocks from the first on the pins to the last out, of the line that was fastest.
    std::uint64_t least_clocks() const { return least_; }
    const std::string& problem() const { return problem_; }
    // What the block has not given back; empty: nothing.
    std::string unsettled() const;
    DutBlock& block() { return block_; }

private:
    struct Sent {
        LineBits bits;
        std::uint64_t at;
    };
    LineOnPins random_line(unsigned port);

    DutShape shape_;
    PortMap map_;
    DutBlock block_;
    std::mt19937_64 random_;
    std::vector<std::deque<Sent>> under_way_;  // by port and channel
    std::vector<std::deque<unsigned>> held_;   // by port: channels of what has come out and not gone on
    std::uint64_t time_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t least_ = ~std::uint64_t{0};
    std::string problem_;
};

}  // namespace weft::dut_test
