#include "testbenches/rtl/dut/dut_bench.h"

#include "rtl/dut/port_map_reader.h"
#include "rtl/modules/line_pins.h"

namespace weft::dut_test {

std::string block_file(const std::string& name)
{
    return std::string(WEFT_SOURCE_DIR) + "/testbenches/rtl/dut/blocks/" + name;
}

DutBench::DutBench(const std::string& map, const std::string& file, const DutShape& shape, std::uint64_t seed)
    : shape_(shape), map_(read_port_map_text("map.yaml", map)),
      block_(map_, dut_library(map_, {block_file(file)}, shape), shape, "bench"), random_(seed),
      under_way_(std::size_t{shape.ports} * shape.channels), held_(shape.ports)
{
}

LineOnPins DutBench::random_line(unsigned port)
{
    LineOnPins line;
    for (std::uint8_t& byte : line.bits.bytes) byte = static_cast<std::uint8_t>(random_());
    line.channel = static_cast<unsigned>(random_() % shape_.channels);
    line.dest = port;
    line.id = port;
    return line;
}

void DutBench::run(unsigned clocks, double load, double room)
{
    std::uniform_real_distribution<double> chance(0, 1);
    for (unsigned done = 0; done < clocks && problem_.empty();) {
        const unsigned rising = block_.rising(time_);
        for (auto& source : block_.sources()) {
            if ((source.clocks & rising) == 0) continue;
            if (!source.channel->busy() && chance(random_) < load) {
                const LineOnPins line = random_line(source.port);
                if (source.channel->takes(line.channel)) {
                    source.channel->begin(line);
                    under_way_[source.port * shape_.channels + line.channel].push_back({line.bits, time_});
                    ++sent_;
                }
            }
            source.channel->drive();
        }
        for (auto& sink : block_.sinks()) {
            if ((sink.clocks & rising) == 0) continue;
            if (!held_[sink.port].empty() && chance(random_) < room) {
                sink.channel->freed(held_[sink.port].front());
                held_[sink.port].pop_front();
            }
            unsigned mask = 0;
            for (unsigned channel = 0; channel < shape_.channels; ++channel)
                mask |= chance(random_) < room ? 1U << channel : 0U;
            sink.channel->drive(mask);
        }
        block_.settle(rising, time_);
        for (auto& source : block_.sources())
            if ((source.clocks & rising) != 0) {
                source.channel->sample();
                if (!source.channel->problem().empty()) problem_ = source.channel->problem();
            }
        for (auto& sink : block_.sinks()) {
            if ((sink.clocks & rising) == 0) continue;
            LineOnPins line;
            line.bits.clear();
            line.channel = 0;
            line.dest = line.id = sink.port;
            const bool whole = sink.channel->sample(line).done;
            if (!sink.channel->problem().empty()) problem_ = sink.channel->problem();
            if (!whole || !problem_.empty()) continue;
            auto& expected = under_way_[sink.port * shape_.channels + line.channel];
            if (expected.empty()) {
                problem_ = "a line from nowhere";
                continue;
            }
            problem_ = difference(expected.front().bits, line.bits);
            if (line.dest != sink.port || line.id != sink.port) problem_ = "dest or id";
            least_ = std::min(least_, (time_ - expected.front().at) / shape_.clock);
            expected.pop_front();
            held_[sink.port].push_back(line.channel);
            ++received_;
        }
        block_.rise(rising, time_);
        if (problem_.empty()) problem_ = block_.failure();
        if ((rising & 1U) != 0) ++done;
        time_ = block_.edge(time_ + 1);
    }
}

std::string DutBench::unsettled() const
{
    std::vector<std::string> names;
    for (unsigned channel = 0; channel < shape_.channels; ++channel) names.push_back(std::to_string(channel));
    std::string out;
    for (const auto& source : block_.sources()) out += source.channel->unsettled(names);
    for (const auto& sink : block_.sinks()) out += sink.channel->unsettled();
    return out;
}

}  // namespace weft::dut_test
