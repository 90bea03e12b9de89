#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/units.h"
#include "platform/configuration/parameters/grouping.h"
#include "platform/result/summary.h"

namespace weft {

namespace {

// Directions of links with alike names and loads.
struct LinkGroup {
    double GBps = 0;
    int share = 0;                              // of the time busy, per cent
    std::vector<std::string> names;             // "from~to"
    std::vector<double> wire{};                 // B
    std::vector<double> payload{};              // B
    std::optional<std::uint64_t> peak_queue{};  // the largest
};

// The value of all of them, or their mean behind a ~ where they differ by more than a hundredth.
std::string one_or_mean(const std::vector<double>& values)
{
    const auto differs = [&](double value) { return std::abs(value - values.front()) > values.front() / 100; };
    if (std::none_of(values.begin(), values.end(), differs)) return short_bytes(values.front());
    return "~" + short_bytes(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
}

std::string without_digits(std::string name)
{
    name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }), name.end());
    return name;
}

// The busiest first.
std::vector<LinkGroup> busy_groups(const RunResult& result)
{
    std::map<std::tuple<int, double, bool, std::string>, std::size_t> index;
    std::vector<LinkGroup> groups;
    for (const LinkResult& link : result.link_results) {
        if (link.busy_ps == 0 || result.simulated_ps == 0) continue;
        const double share = static_cast<double>(link.busy_ps) / static_cast<double>(result.simulated_ps);
        const int rounded = static_cast<int>(std::lround(share * 100));
        const std::string name = link.from + "~" + link.to;
        const auto [entry, fresh] =
            index.try_emplace({rounded, link.GBps, link.payload_bytes == 0, without_digits(name)}, groups.size());
        if (fresh) groups.push_back({link.GBps, rounded, {}});
        LinkGroup& group = groups[entry->second];
        group.names.push_back(name);
        group.wire.push_back(static_cast<double>(link.wire_bytes));
        group.payload.push_back(static_cast<double>(link.payload_bytes));
        if (link.peak_queue) group.peak_queue = std::max<std::uint64_t>(group.peak_queue.value_or(0), *link.peak_queue);
    }
    std::stable_sort(groups.begin(), groups.end(),
        [](const LinkGroup& a, const LinkGroup& b) { return a.share > b.share; });
    return groups;
}

// Channels of links with alike names, and the one of them whose lines waited longest.
struct WaitGroup {
    const LinkResult::Channel* worst;
    std::vector<std::string> names;  // "from~to"
};

// Where lines of a watched run waited, for credits or for others: the longest first.
std::vector<WaitGroup> wait_groups(const RunResult& result)
{
    const auto time = [](const LinkResult::Channel& channel) {
        return channel.count.credit_stall + channel.count.arbitration_wait;
    };
    std::map<std::pair<std::string, std::string>, std::size_t> index;
    std::vector<WaitGroup> groups;
    for (const LinkResult& link : result.link_results) {
        const std::string name = link.from + "~" + link.to;
        for (const LinkResult::Channel& channel : link.channels) {
            if (time(channel) == 0) continue;
            const auto [entry, fresh] = index.try_emplace({channel.name, without_digits(name)}, groups.size());
            if (fresh) groups.push_back({&channel, {}});
            WaitGroup& group = groups[entry->second];
            group.names.push_back(name);
            if (time(channel) > time(*group.worst)) group.worst = &channel;
        }
    }
    std::stable_sort(groups.begin(), groups.end(),
        [&](const WaitGroup& a, const WaitGroup& b) { return time(*a.worst) > time(*b.worst); });
    return groups;
}

}  // namespace

void add_links(SummaryPage& page, const RunResult& result)
{
    constexpr std::size_t most = 5;
    constexpr std::size_t width = 49;
    const std::vector<LinkGroup> groups = busy_groups(result);
    if (groups.empty()) return;
    page.row(fmt::format("\n{:<{}} {:>5} {:>8} {:>5} {:>9} {:>9} {:>6}", "busiest links", width + 2, "count", "GB/s",
        "busy", "on wire", "payload", "queue"));
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
        const LinkGroup& group = groups[i];
        std::string name = group_names(group.names, 1).front().text;
        if (const std::size_t joint = name.find('~'); joint != std::string::npos) name.replace(joint, 1, " -> ");
        if (name.size() > width) {
            page.row("  " + name);
            name.clear();
        }
        page.row(fmt::format("  {:<{}} {:>5} {:>8.4g} {:>5} {:>9} {:>9} {:>6}", name, width, group.names.size(),
            group.GBps, group.share == 0 ? "<1 %" : fmt::format("{} %", group.share), one_or_mean(group.wire),
            one_or_mean(group.payload), group.peak_queue ? std::to_string(*group.peak_queue) : "-"));
    }
    if (groups.size() > most) page.row(fmt::format("  and {} groups of less busy ones", groups.size() - most));
}

void add_stalls(SummaryPage& page, const RunResult& result)
{
    constexpr std::size_t most = 6;
    constexpr std::size_t width = 45;
    const std::vector<WaitGroup> groups = wait_groups(result);
    if (groups.empty() || result.simulated_ps == 0) return;
    page.row(fmt::format("\n{:<{}} {:>5} {:>9} {:>6} {:>13} {:>12} {:>10}", "where packets waited; the worst of each",
        width + 2, "count", "channel", "queue", "credit stall", "mean wait", "longest"));
    const auto time = static_cast<double>(result.simulated_ps);
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
        const PortWatch::Channel& count = groups[i].worst->count;
        std::string name = group_names(groups[i].names, 1).front().text;
        if (const std::size_t joint = name.find('~'); joint != std::string::npos) name.replace(joint, 1, " -> ");
        if (name.size() > width) {
            page.row("  " + name);
            name.clear();
        }
        page.row(fmt::format("  {:<{}} {:>5} {:>9} {:>6.3g} {:>13} {:>12} {:>10}", name, width, groups[i].names.size(),
            groups[i].worst->name, static_cast<double>(count.queue_area) / time,
            percent(static_cast<double>(count.credit_stall) / time),
            format_time_ps(count.arbitration_wait / std::max<std::uint64_t>(1, count.lines)),
            format_time_ps(count.arbitration_longest)));
    }
    if (groups.size() > most) page.row(fmt::format("  and {} more groups (--json lists all)", groups.size() - most));
}

}  // namespace weft
