#include "platform/report/activity.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace weft {

namespace {

using EventJson = nlohmann::json;

// "12.345678" us of the timeline, exact to the picosecond.
Time ps_of(const EventJson& value) { return static_cast<Time>(std::llround(value.get<double>() * 1e6)); }

// "move 3" is a move.
std::string kind_of(const std::string& name)
{
    const std::size_t end = name.find_last_not_of("0123456789");
    return end == std::string::npos || end + 1 == name.size() ? name
                                                              : name.substr(0, name.find_last_not_of(' ', end) + 1);
}

class ActivityReader {
public:
    ActivityReader(Time end, std::size_t parts, std::size_t most_ranks) : most_ranks_(most_ranks)
    {
        out_.end_ps = end;
        out_.parts = parts;
    }

    // One event of the timeline; those of process 0 are critical paths, those with a category are nodes of a trace.
    void add(const EventJson& event)
    {
        if (event.at("ph") != "X" || event.at("pid") == 0) return;
        if (event.contains("cat")) {
            add_node(event);
            return;
        }
        const auto rank = event.at("pid").get<std::uint32_t>() - 1;
        const Time begin = ps_of(event.at("ts"));
        const Time duration = ps_of(event.at("dur"));
        const std::string name = event.at("name").get<std::string>();
        OperationKind& kind = operations_[kind_of(name)];
        ++kind.count;
        kind.total_ps += duration;
        kind.longest_ps = std::max(kind.longest_ps, duration);
        for (const auto& [key, value] : event.at("args").items()) {
            if (key.size() < 4 || key.compare(key.size() - 3, 3, "_ps") != 0) continue;
            const std::string cause = key.substr(0, key.size() - 3);
            kind.spent_ps[cause] += value.get<Time>();
            spend(ranks_, rank, place_in(out_.causes, cause), begin, begin + duration,
                static_cast<double>(value.get<Time>()));
        }
    }

    RunActivity take(bool by_nodes)
    {
        if (ranks_.empty() || by_nodes) {
            ranks_ = std::move(nodes_);
            out_.causes = std::move(kinds_);
        }
        out_.ranks_in_all = ranks_.size();
        for (auto& [rank, activity] : ranks_)
            if (out_.ranks.size() < most_ranks_) out_.ranks.push_back(std::move(activity));
        for (auto& [name, kind] : operations_) {
            kind.name = name;
            out_.operations.push_back(std::move(kind));
        }
        std::stable_sort(out_.operations.begin(), out_.operations.end(),
            [](const OperationKind& a, const OperationKind& b) { return a.total_ps > b.total_ps; });
        return std::move(out_);
    }

private:
    using Ranks = std::map<std::uint32_t, RankActivity>;

    void add_node(const EventJson& event)
    {
        if (event.at("cat") != "node" || !event.contains("args") || !event.at("args").contains("kind")) return;
        const auto rank = event.at("pid").get<std::uint32_t>() - 1;
        const Time begin = ps_of(event.at("ts"));
        const Time duration = ps_of(event.at("dur"));
        const std::string kind = "node_" + event.at("args").at("kind").get<std::string>();
        spend(nodes_, rank, place_in(kinds_, kind), begin, begin + duration, static_cast<double>(duration));
    }

    static std::size_t place_in(std::vector<std::string>& causes, const std::string& cause)
    {
        const auto found = std::find(causes.begin(), causes.end(), cause);
        if (found != causes.end()) return static_cast<std::size_t>(found - causes.begin());
        causes.push_back(cause);
        return causes.size() - 1;
    }

    void spend(Ranks& ranks, std::uint32_t rank, std::size_t cause, Time begin, Time end, double time)
    {
        RankActivity& activity = ranks[rank];
        activity.rank = rank;
        if (ranks.size() > most_ranks_ && rank >= most_ranks_) return;
        if (activity.parts.empty()) activity.parts.resize(out_.parts);
        const double length = static_cast<double>(std::max<Time>(1, out_.end_ps)) / static_cast<double>(out_.parts);
        const double duration = static_cast<double>(std::max<Time>(1, end - begin));
        const auto first = std::min(out_.parts - 1, static_cast<std::size_t>(static_cast<double>(begin) / length));
        for (std::size_t part = first; part < out_.parts; ++part) {
            const double from = std::max(static_cast<double>(begin), static_cast<double>(part) * length);
            const double to = std::min(static_cast<double>(end), static_cast<double>(part + 1) * length);
            if (to <= from) break;
            std::vector<double>& spent = activity.parts[part];
            if (spent.size() <= cause) spent.resize(cause + 1);
            spent[cause] += time * (to - from) / duration;
        }
    }

    std::size_t most_ranks_;
    RunActivity out_;
    Ranks ranks_;
    Ranks nodes_;
    std::vector<std::string> kinds_;  // of nodes
    std::map<std::string, OperationKind> operations_;
};

}  // namespace

RunActivity read_activity(const std::string& timeline, Time end, std::size_t parts, std::size_t most_ranks,
    bool by_nodes)
{
    ActivityReader reader(end, parts, most_ranks);
    // One event a line, between the first and the last line: a run of millions of events is never one tree.
    for (std::size_t at = timeline.find('\n'); at != std::string::npos && at + 1 < timeline.size();) {
        const std::size_t next = timeline.find('\n', at + 1);
        std::string line = timeline.substr(at + 1, next - at - 1);
        at = next;
        if (!line.empty() && line.back() == ',') line.pop_back();
        if (line.empty() || line.front() != '{') continue;
        reader.add(EventJson::parse(line));
    }
    return reader.take(by_nodes);
}

}  // namespace weft
