#include "platform/commands/options/traffic_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "platform/console/messages.h"

namespace weft {

namespace {

std::uint64_t bytes_in(const std::string& option, const std::string& value, std::uint64_t most)
{
    const std::uint64_t bytes = bytes_option(option, value);
    if (bytes < 1 || bytes > most)
        throw usage_error(option + " " + value + " is out of range", "1 to " + std::to_string(most) + " bytes");
    return bytes;
}

}  // namespace

double share_option(const std::string& option, const std::string& value, double low, double high)
{
    double out = 0;
    std::size_t used = 0;
    try {
        out = std::stod(value, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != value.size() || !(out >= low && out <= high))
        throw usage_error(option + " " + quoted_word(value) + " is not a number in the range",
            fmt::format("a number from {:g} to {:g}", low, high));
    return out;
}

const std::vector<std::string>& fabric_sweep_options()
{
    static const std::vector<std::string> names{"pattern", "fraction", "sources", "burst", "reads", "atomics", "size",
        "message", "profile", "seed"};
    return names;
}

void TrafficOptions::add(CommandLine& line)
{
    line.section("traffic");
    line.value("--pattern", "P", pattern_, "traffic pattern: " + one_of(pattern_names()) + "; default uniform");
    line.value("--fraction", "F", fraction_,
        "hot_spot: chance that a message goes to endpoint 0; the others go anywhere, there too; default 0.5");
    line.value("--sources", "N", sources_, "incast: number of endpoints that send to endpoint 0; default all others");
    line.value("--burst", "N", burst_,
        "messages come back to back in bursts of this mean length, at the same mean load; default no bursts "
        "(Bernoulli)");
    line.value("--reads", "F", reads_, "share of the messages that are reads; default 0");
    line.value("--atomics", "F", atomics_, "share of the messages that are 8-byte atomics; default 0");
    line.flag("--answered", answered_, "writes are acknowledged instead of posted");
    line.value("--size", "BYTES", size_, "payload of a transaction, 1 to 64 B; default 64");
    line.value("--message", "BYTES", message_,
        "size of a message, which is divided into transactions; default one transaction");
    line.value("--duration", "TIME", duration_,
        "simulated time in which transactions are created; default the time of 20000 transactions of an endpoint at "
        "full load, "
        "at least 20 us");
}

void TrafficOptions::refuse_idle(const std::vector<std::string>& varied) const
{
    const auto varies = [&varied](const char* option) {
        return std::find(varied.begin(), varied.end(), option) != varied.end();
    };
    if (varies("pattern")) return;
    const auto refuse = [this, &varies](const char* option, const std::string& value, const char* pattern) {
        if ((!value.empty() || varies(option)) && pattern_ != pattern)
            throw usage_error(fmt::format("'{}' with pattern {}, which does not use it", option, pattern_),
                fmt::format("--pattern {} with it", pattern));
    };
    refuse("fraction", fraction_, "hot_spot");
    refuse("sources", sources_, "incast");
}

TrafficSpec TrafficOptions::spec(std::uint64_t seed) const
{
    TrafficSpec out;
    check_choice("--pattern", pattern_, pattern_names());
    const auto found = std::find(pattern_names().begin(), pattern_names().end(), pattern_);
    out.pattern.kind = static_cast<PatternKind>(found - pattern_names().begin());
    if (!fraction_.empty()) out.pattern.fraction = share_option("--fraction", fraction_, 0, 1);
    if (!sources_.empty())
        out.pattern.sources = static_cast<std::uint32_t>(number_option("--sources", sources_, 1, 60000));
    if (!burst_.empty()) out.burst = share_option("--burst", burst_, 1, 1e6);
    if (!reads_.empty()) out.reads = share_option("--reads", reads_, 0, 1);
    if (!atomics_.empty()) out.atomics = share_option("--atomics", atomics_, 0, 1);
    if (out.reads + out.atomics > 1)
        throw usage_error("--reads and --atomics are more than all messages", "a sum of at most 1");
    if (answered_ && out.reads + out.atomics == 1)
        throw usage_error("'--answered' with reads and atomics alone, which are always answered", "writes among them");
    out.posted = !answered_;
    if (!size_.empty()) out.size = static_cast<std::uint32_t>(bytes_in("--size", size_, 64));
    if (!message_.empty()) {
        const std::uint64_t bytes = bytes_in("--message", message_, 1 << 20);
        if (bytes % out.size != 0)
            throw usage_error(
                fmt::format("--message {} is not a whole number of transactions of {} B", message_, out.size),
                "a multiple of --size");
        out.message = static_cast<std::uint32_t>(bytes / out.size);
    }
    if (!duration_.empty()) {
        out.duration = time_option("--duration", duration_);
        if (out.duration == 0) throw usage_error("--duration " + duration_ + " is too short", "at least 1 ps");
    }
    out.seed = seed;
    return out;
}

}  // namespace weft
