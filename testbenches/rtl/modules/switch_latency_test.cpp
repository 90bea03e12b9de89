// Latency of lines through one switch at loads of 0.1 to 0.9: the same traffic through the block, its reference
// model, and the general models. Block and reference model: the same histogram. The models against the reference
// model: the table of docs/rtl/switch.md.
//
// Four endpoints write to each other at random; every write is answered. Load: lines, of either kind, that a port
// sends in a clock; a write takes a clock of the wire. Latency: from a write's being ready at its source to its
// arrival.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "base/text_file.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/tlm_interconnect/child.h"

namespace switch_latency_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time clock_ps = 500;
constexpr unsigned ports = 4;

enum class Model { general, crossbar, reference, block };

FabricSystem::Options options_of(Model model)
{
    FabricSystem::Options options = model == Model::block ? clocked(rtl) : clocked(reference);
    options.switches.latency = 4 * clock_ps;
    options.link.latency = 2 * clock_ps;
    options.link.request_credits = options.link.response_credits = 32;
    options.checkers = false;
    if (model == Model::general || model == Model::crossbar) options.make = nullptr;
    options.crossbar = model == Model::crossbar;
    return options;
}

// A write of 64 B with its header takes a clock.
constexpr std::uint64_t bandwidth = 160'000'000'000;

struct Latencies {
    std::map<Time, unsigned> histogram;  // ps: writes
    std::uint64_t count = 0;
    double mean = 0;  // clocks
    double p99 = 0;
    std::string text() const
    {
        std::string out;
        for (const auto& [latency, writes] : histogram) out += fmt::format("{} {}\n", latency, writes);
        return out;
    }
    static Latencies of(const std::string& text)
    {
        Latencies out;
        std::istringstream in(text);
        Time latency = 0;
        unsigned writes = 0;
        Time sum = 0;
        while (in >> latency >> writes) {
            out.histogram[latency] = writes;
            out.count += writes;
            sum += latency * writes;
        }
        if (out.count == 0) return out;
        out.mean = static_cast<double>(sum) / static_cast<double>(out.count) / clock_ps;
        std::uint64_t below = 0;
        for (const auto& [value, writes_of] : out.histogram) {
            below += writes_of;
            if (below * 100 < out.count * 99) continue;
            out.p99 = static_cast<double>(value) / clock_ps;
            break;
        }
        return out;
    }
};

// `clocks` clocks of writes, one with a probability of load / 2 at each endpoint.
Latencies latencies(Model model, double load, unsigned clocks)
{
    return Latencies::of(in_child([&] {
        FabricSystem system(star(ports, bandwidth), options_of(model));
        std::mt19937 random(5);
        std::vector<std::vector<Time>> issued(ports);
        for (unsigned i = 0; i < clocks; ++i)
            for (unsigned e = 0; e < ports; ++e) {
                const auto to = static_cast<unsigned>(random() % ports);
                if (static_cast<double>(random()) >= load / 2 * 4294967296.0 * ports / (ports - 1) || to == e) continue;
                issued[e].push_back(Time{i} * clock_ps);
                system.endpoints[e]->issue(issued[e].back(), LineOp::write, to, 64 * i);
            }
        run_all(system);
        system.expect_clean();
        Latencies out;
        for (const auto& endpoint : system.endpoints)
            for (const Endpoint::Record& record : endpoint->served)
                ++out.histogram[record.at - issued[record.source].at(record.tag)];
        return out.text();
    }));
}

// Lines a port and clock while everybody always has one to send: between a quarter and three quarters of the writes.
double saturation(Model model)
{
    return std::stod(in_child([&] {
        FabricSystem system(star(ports, bandwidth), options_of(model));
        std::mt19937 random(6);
        constexpr unsigned writes = 6'000;
        for (unsigned i = 0; i < writes; ++i)
            for (unsigned e = 0; e < ports; ++e)
                system.endpoints[e]->issue(0, LineOp::write, (e + 1 + random() % (ports - 1)) % ports, 64 * i);
        run_all(system);
        system.expect_clean();
        std::vector<Time> arrivals;
        for (const auto& endpoint : system.endpoints) {
            for (const Endpoint::Record& record : endpoint->served) arrivals.push_back(record.at);
            for (const Endpoint::Record& record : endpoint->answered) arrivals.push_back(record.at);
        }
        std::sort(arrivals.begin(), arrivals.end());
        const std::size_t first = arrivals.size() / 4;
        const std::size_t last = arrivals.size() * 3 / 4;
        const double clocks = static_cast<double>(arrivals[last] - arrivals[first]) / clock_ps;
        return fmt::format("{}", static_cast<double>(last - first) / clocks / ports);
    }));
}

std::string figures(const Latencies& of) { return fmt::format("{:.1f}, {:.1f}", of.mean, of.p99); }

// The page says what was measured.
void expect_on_page(const std::string& row)
{
    static const std::string page = read_text_file(WEFT_SOURCE_DIR "/docs/rtl/switch.md");
    std::printf("%s\n", row.c_str());
    EXPECT_NE(page.find("\n" + row + "\n"), std::string::npos) << "docs/rtl/switch.md lacks: " << row;
}

class SwitchLatencyRtl : public RtlTest {};

TEST_F(SwitchLatencyRtl, TheHistogramIsThatOfTheReference)
{
    for (const double load : {0.3, 0.6, 0.9}) {
        const Latencies of_reference = latencies(Model::reference, load, 4'000);
        const Latencies of_block = latencies(Model::block, load, 4'000);
        EXPECT_GT(of_reference.count, 2'000U);
        EXPECT_GT(of_reference.histogram.size(), 5U);
        EXPECT_EQ(of_block.text(), of_reference.text()) << load;
        std::printf("load %.1f: %llu writes, mean %.2f, 99 %% %.1f clocks, %zu different latencies\n", load,
            static_cast<unsigned long long>(of_reference.count), of_reference.mean, of_reference.p99,
            of_reference.histogram.size());
    }
}

TEST(SwitchLatency, OfTheGeneralModelsAgainstTheReference)
{
    // An empty switch: nobody waits for anybody.
    const auto empty = [](Model model) {
        return static_cast<double>(latencies(model, 0.001, 20'000).histogram.begin()->first) / clock_ps;
    };
    expect_on_page(fmt::format("| empty | {:.1f} | {:.1f} | {:.1f} |", empty(Model::reference), empty(Model::crossbar),
        empty(Model::general)));
    for (unsigned tenth = 1; tenth <= 9; ++tenth) {
        const double load = 0.1 * tenth;
        const Latencies of_reference = latencies(Model::reference, load, 20'000);
        const Latencies crossbar = latencies(Model::crossbar, load, 20'000);
        const Latencies general = latencies(Model::general, load, 20'000);
        // The crossbar is the reference model but for lines of an input that come in one clock; the general model has
        // no matching.
        EXPECT_LE(std::abs(crossbar.mean - of_reference.mean), 0.02 * of_reference.mean + 0.05) << load;
        EXPECT_LE(general.mean, of_reference.mean + 0.5) << load;
        expect_on_page(
            fmt::format("| {:.1f} | {} | {} | {} |", load, figures(of_reference), figures(crossbar), figures(general)));
    }
    expect_on_page(fmt::format("| saturation | {:.3f} | {:.3f} | {:.3f} |", saturation(Model::reference),
        saturation(Model::crossbar), saturation(Model::general)));
}

}  // namespace

}  // namespace switch_latency_test
