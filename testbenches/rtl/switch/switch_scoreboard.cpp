#include "testbenches/rtl/switch/switch_scoreboard.h"

#include <cstring>

#include <fmt/format.h>

namespace weft::test {

SwitchScoreboard::SwitchScoreboard(const SwitchBlockParameters& parameters)
    : parameters_(parameters), expected_(std::size_t{2} * parameters.ports * parameters.ports * parameters.vcs),
      entered_(std::size_t{parameters.ports} * parameters.vcs), given_back_(entered_.size())
{
}

void SwitchScoreboard::clock(const SwitchIn& in, const SwitchOut& out)
{
    const auto queue = [this](unsigned input, unsigned vc, unsigned output, bool multicast) -> auto&
    {
        const std::size_t channel = std::size_t{output} * parameters_.vcs + vc;
        return expected_[(channel * parameters_.ports + input) * 2 + multicast];
    };
    for (unsigned output = 0; output < parameters_.ports; ++output) {
        if ((out.valid >> output & 1U) == 0) continue;
        bool found = false;
        for (unsigned input = 0; input < parameters_.ports && !found; ++input)
            for (const bool multicast : {false, true}) {
                std::deque<LineBits>& waiting = queue(input, out.vc[output], output, multicast);
                if (found || waiting.empty() || !(waiting.front() == out.data[output])) continue;
                waiting.pop_front();
                ++delivered_;
                found = true;
            }
        if (!found) fail(fmt::format("output {}, channel {}: a line that is none of the next", output, out.vc[output]));
    }
    for (unsigned input = 0; input < parameters_.ports; ++input) {
        if ((out.credit_valid >> input & 1U) != 0) {
            const std::size_t channel = std::size_t{input} * parameters_.vcs + out.credit_vc[input];
            if (given_back_[channel] == entered_[channel])
                fail(fmt::format("input {}, channel {}: a credit for no line", input, out.credit_vc[input]));
            ++given_back_[channel];
        }
        if ((in.valid >> input & 1U) == 0) continue;
        LineBits data = in.data[input];
        std::memset(data.bytes + parameters_.width / 8, 0, sizeof data.bytes - parameters_.width / 8);
        const std::uint64_t ports = in.ports[input];
        ++entered_[std::size_t{input} * parameters_.vcs + in.vc[input]];
        const bool multicast = (ports & (ports - 1)) != 0;
        for (unsigned output = 0; output < parameters_.ports; ++output)
            if ((ports >> output & 1U) != 0) queue(input, in.vc[input], output, multicast).push_back(data);
    }
    ++clock_;
}

std::uint64_t SwitchScoreboard::missing() const
{
    std::uint64_t count = 0;
    for (const auto& queue : expected_) count += queue.size();
    for (std::size_t channel = 0; channel < entered_.size(); ++channel)
        count += entered_[channel] - given_back_[channel];
    return count;
}

void SwitchScoreboard::fail(const std::string& what)
{
    if (failure_.empty()) failure_ = fmt::format("clock {}: {}", clock_, what);
}

}  // namespace weft::test
