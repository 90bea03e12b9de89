// Clocks a second of processor time of a block in a bare loop, behind its interface, and of its reference model, on
// inputs that were recorded on the pins of a system or of a bench.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "rtl/group_switch/group_switch_pins.h"
#include "rtl/verilated/verilated_block.h"

namespace weft::test {

// Of this thread.
inline double processor_seconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What went into a block, clock by clock; settings of groups with the clock that they are for.
template <class In>
struct Recorded {
    std::vector<In> inputs;
    std::vector<std::pair<std::size_t, GroupEntry>> settings;
};

template <class Block>
void set_groups(Block& block, const std::vector<std::pair<std::size_t, GroupEntry>>& settings, std::size_t clock,
    std::size_t& next)
{
    if constexpr (std::is_base_of_v<GroupSwitchBlock, Block>)
        for (; next < settings.size() && settings[next].first <= clock; ++next) block.set_group(settings[next].second);
}

// A figure of one way to clock a block: the best of three, and the lines that came out, the same each time.
struct Rate {
    double clocks_per_second = 0;
    std::uint64_t lines = 0;
};

template <class Loop>
Rate best_of_three(std::size_t clocks, const Loop& loop)
{
    Rate out;
    for (int i = 0; i < 3; ++i) {
        const double start = processor_seconds();
        out.lines = loop();
        out.clocks_per_second =
            std::max(out.clocks_per_second, static_cast<double>(clocks) / (processor_seconds() - start));
    }
    return out;
}

// Of a block or a reference model. `count(out)`: lines that leave.
template <class Block, class In, class Out, class Count>
Rate interface_rate(Block& block, const Recorded<In>& recorded, Out out, const Count& count)
{
    return best_of_three(recorded.inputs.size(), [&] {
        block.reset();
        std::uint64_t lines = 0;
        std::size_t next = 0;
        for (std::size_t clock = 0; clock < recorded.inputs.size(); ++clock) {
            set_groups(block, recorded.settings, clock, next);
            block.cycle(recorded.inputs[clock], out);
            lines += count(out);
        }
        return lines;
    });
}

// The Verilated class with nothing around it: all input pins are copied in, outputs settle, the clock rises. `evaluations`:
// three with a falling edge of its own, or two. Lines: bits of the pin `valid`.
template <class Rtl, class In, class Out>
class BareLoop {
public:
    BareLoop(Rtl& rtl, const Recorded<In>& recorded, Out out, const std::string& valid)
        : rtl_(rtl), block_(rtl.block()), clk_(block_.pin("clk")), valid_(block_.pin(valid)),
          clocks_(recorded.inputs.size())
    {
        for (const PinInfo& pin : block_.pins())
            if (pin.input && pin.name != "clk") pins_.push_back({block_.pin(pin.name), (pin.width + 7) / 8});
        rtl_.reset();
        std::size_t next = 0;
        for (std::size_t clock = 0; clock < clocks_; ++clock) {
            set_groups(rtl_, recorded.settings, clock, next);
            rtl_.cycle(recorded.inputs[clock], out);
            for (auto& [pin, bytes] : pins_) {
                images_.resize(images_.size() + bytes);
                pin.copy_out(0, images_.data() + images_.size() - bytes, bytes);
            }
        }
    }
    Rate rate(unsigned evaluations)
    {
        return best_of_three(clocks_, [&] {
            rtl_.reset();
            std::uint64_t lines = 0;
            const std::uint8_t* image = images_.data();
            for (std::size_t clock = 0; clock < clocks_; ++clock) {
                for (auto& [pin, bytes] : pins_) {
                    pin.copy_in(0, image, bytes);
                    image += bytes;
                }
                block_.eval();
                lines += static_cast<std::uint64_t>(__builtin_popcountll(valid_.get(0, valid_.width())));
                if (evaluations == 3)
                    block_.edge(clk_);
                else
                    block_.rise(clk_);
            }
            return lines;
        });
    }

private:
    Rtl& rtl_;
    VerilatedBlock& block_;
    Pin clk_;
    Pin valid_;
    std::size_t clocks_;
    std::vector<std::pair<Pin, unsigned>> pins_;
    std::vector<std::uint8_t> images_;
};

}  // namespace weft::test
