// A switch whose senders keep to their credits and whose outputs give each line's slot back in the clock
// after it.
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/rtl/switch/switch_bench.h"

namespace weft::test {

class SwitchLoop {
public:
    SwitchLoop(SwitchBlock& block, const SwitchBlockParameters& parameters)
        : in(parameters), out(parameters), block_(block), parameters_(parameters),
          credits_(std::size_t{parameters.ports} * parameters.vcs, parameters.depth)
    {
        block_.reset();
        in.ready = ~std::uint64_t{0} >> (64 - parameters.ports);
    }

    bool can_send(unsigned input, unsigned vc) const { return credits_[input * parameters_.vcs + vc] > 0; }
    // In the next clock. The line's address is its number, its source the input.
    void send(unsigned input, unsigned vc, std::uint64_t ports, std::uint64_t number)
    {
        --credits_[input * parameters_.vcs + vc];
        in.valid |= std::uint64_t{1} << input;
        in.vc[input] = static_cast<std::uint8_t>(vc);
        in.ports[input] = ports;
        in.data[input].clear();
        in.data[input].set_place(0, number);
        in.data[input].set_rest(static_cast<std::uint16_t>(input), 0, false, 0, 0, 0, 0, false);
    }
    // One clock; what came out is in `out`.
    void step()
    {
        block_.cycle(in, out);
        ++clock;
        in.valid = 0;
        for (unsigned p = 0; p < parameters_.ports; ++p) {
            in.credit[p] = 0;
            if ((out.valid >> p & 1U) != 0) {
                in.credit[p] = static_cast<std::uint16_t>(give_back ? 1U << out.vc[p] : 0U);
                ++copies;
            }
            if ((out.credit_valid >> p & 1U) != 0) ++credits_[p * parameters_.vcs + out.credit_vc[p]];
        }
    }
    // Copies per output and clock while every input with a credit sends what `next(input)` says: {channel,
    // outputs}.
    template <class Next>
    double throughput(std::uint64_t warm_up, std::uint64_t clocks, const Next& next)
    {
        std::uint64_t before = 0;
        for (std::uint64_t i = 0; i < warm_up + clocks; ++i) {
            if (i == warm_up) before = copies;
            for (unsigned input = 0; input < parameters_.ports; ++input) {
                const auto [vc, ports] = next(input);
                if (ports != 0 && can_send(input, vc)) send(input, vc, ports, i);
            }
            step();
        }
        return static_cast<double>(copies - before) / static_cast<double>(clocks) / parameters_.ports;
    }

    SwitchIn in;
    SwitchOut out;
    bool give_back = true;
    std::uint64_t clock = 0;   // clocks that have been
    std::uint64_t copies = 0;  // that came out

private:
    SwitchBlock& block_;
    const SwitchBlockParameters parameters_;
    std::vector<unsigned> credits_;
};

}  // namespace weft::test
