#include "collectives/schedule/stall_lines.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr std::size_t most_ranks_named = 8;  // of a circular wait, before the last

}  // namespace

std::string ranges_text(const std::vector<std::uint32_t>& ascending)
{
    std::string out;
    for (std::size_t i = 0; i < ascending.size();) {
        std::size_t last = i;
        while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
        if (!out.empty()) out += " ";
        out += std::to_string(ascending[i]);
        if (last == i + 1) out += fmt::format(" {}", ascending[last]);
        if (last > i + 1) out += fmt::format("-{}", ascending[last]);
        i = last + 1;
    }
    return out;
}

std::string compact_ranks(const std::vector<std::uint32_t>& ranks)
{
    if (ranks.size() < 3 || ranks[1] <= ranks[0] + 1) return ranges_text(ranks);
    const std::uint32_t step = ranks[1] - ranks[0];
    for (std::size_t i = 2; i < ranks.size(); ++i)
        if (ranks[i] != ranks[i - 1] + step) return ranges_text(ranks);
    return fmt::format("{}-{} step {}", ranks.front(), ranks.back(), step);
}

void WaitGraph::meeting(const std::string& name, const std::vector<std::uint32_t>& here,
    const std::vector<std::uint32_t>& missing)
{
    const auto number = static_cast<std::uint32_t>(next_.size());
    meetings_.push_back(name);
    next_.push_back(missing);
    for (const std::uint32_t rank : here) next_[rank].push_back(number);
}

// Ranks and meetings of the first circle that a search in depth from rank 0, 1, ... comes to.
std::vector<std::uint32_t> WaitGraph::find() const
{
    enum class State : std::uint8_t { fresh, on_path, left };
    std::vector<State> states(next_.size(), State::fresh);
    std::vector<std::uint32_t> path;
    std::vector<std::size_t> tried(next_.size(), 0);
    for (std::uint32_t start = 0; start < ranks_; ++start) {
        if (states[start] != State::fresh) continue;
        path.push_back(start);
        states[start] = State::on_path;
        while (!path.empty()) {
            const std::uint32_t at = path.back();
            if (tried[at] == next_[at].size()) {
                states[at] = State::left;
                path.pop_back();
                continue;
            }
            const std::uint32_t next = next_[at][tried[at]++];
            if (states[next] == State::on_path) {
                path.erase(path.begin(), std::find(path.begin(), path.end(), next));
                return path;
            }
            if (states[next] == State::left) continue;
            states[next] = State::on_path;
            path.push_back(next);
        }
    }
    return {};
}

std::string WaitGraph::circle() const
{
    std::vector<std::uint32_t> found = find();
    if (found.empty()) return "";
    if (found.front() >= ranks_) std::rotate(found.begin(), found.begin() + 1, found.end());
    struct Link {
        std::uint32_t rank;
        std::string in;  // the meeting that it waits in
    };
    std::vector<Link> links;
    for (const std::uint32_t at : found) {
        if (at < ranks_) {
            links.push_back({at, ""});
        } else {
            links.back().in = " in " + meetings_[at - ranks_];
        }
    }
    std::string out = fmt::format("circular wait: rank {}", links.front().rank);
    for (std::size_t i = 1; i < links.size(); ++i) {
        const std::size_t left_out = links.size() - most_ranks_named - 1;
        if (links.size() > most_ranks_named + 1 && i == most_ranks_named) {
            out += fmt::format(" waits, over {} more, for rank {}, which", left_out, links.back().rank);
            break;
        }
        out += fmt::format(" waits{} for rank {}, which", links[i - 1].in, links[i].rank);
    }
    return out + fmt::format(" waits{} for rank {}", links.back().in, links.front().rank);
}

void StallLines::add(std::uint32_t rank, const std::string& text, std::optional<std::uint32_t> peer,
    const std::string& end)
{
    lines_.push_back({rank, text, peer, end});
}

StallLines::Likeness StallLines::likeness(const Line& line, bool by_distance) const
{
    if (!line.peer) return {line.text, line.end, 0, 0};
    if (!by_distance) return {line.text, line.end, 1, *line.peer};
    return {line.text, line.end, 2, (*line.peer + ranks_ - line.rank) % ranks_};
}

std::string StallLines::one(const Line& line) const
{
    return fmt::format("{}{}{}{}{}", before_, line.rank, line.text, line.peer ? std::to_string(*line.peer) : "",
        line.end);
}

std::string StallLines::many(const Line& line, bool by_distance, const std::vector<std::uint32_t>& ranks) const
{
    std::string peer;
    std::string modulo;
    if (line.peer && by_distance) {
        const std::uint32_t distance = (*line.peer + ranks_ - line.rank) % ranks_;
        peer = distance <= ranks_ / 2 ? fmt::format("r+{}", distance) : fmt::format("r-{}", ranks_ - distance);
        modulo = fmt::format(" (modulo {})", ranks_);
    } else if (line.peer) {
        peer = std::to_string(*line.peer);
    }
    return fmt::format("{}r{}{}{}, for r = {}{}", before_, line.text, peer, line.end, ranges_text(ranks), modulo);
}

std::vector<std::string> StallLines::text(std::size_t most) const
{
    std::map<Likeness, std::set<std::uint32_t>> alike;
    for (const Line& line : lines_)
        for (const bool by_distance : {false, true}) alike[likeness(line, by_distance)].insert(line.rank);
    std::vector<std::string> out;
    std::set<std::string> told;
    std::size_t left_out = 0;
    for (const Line& line : lines_) {
        const std::set<std::uint32_t>& same = alike.at(likeness(line, false));
        const std::set<std::uint32_t>& as_far = alike.at(likeness(line, true));
        const bool by_distance = as_far.size() > same.size();
        const std::set<std::uint32_t>& ranks = by_distance ? as_far : same;
        std::string text =
            ranks.size() > most_alone ? many(line, by_distance, {ranks.begin(), ranks.end()}) : one(line);
        if (!told.insert(text).second) continue;
        if (out.size() < most) {
            out.push_back(std::move(text));
        } else {
            ++left_out;
        }
    }
    if (left_out > 0) out.push_back(fmt::format("{} lines more", left_out));
    return out;
}

}  // namespace weft
