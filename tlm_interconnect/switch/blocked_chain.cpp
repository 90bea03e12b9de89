#include "tlm_interconnect/switch/blocked_chain.h"

#include <algorithm>
#include <map>

namespace weft {

namespace {

std::string step_of(const BufferWait& wait)
{
    const std::string count = std::to_string(wait.lines) + (wait.lines == 1 ? " packet" : " packets");
    const std::string where = wait.held.empty() ? " at " + wait.at : " in " + wait.held;
    return count + where + (wait.lines == 1 ? " waits" : " wait") + " for room in " + wait.wanted;
}

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Why nothing is known to wait in the last buffer of a chain.
std::string end_of_chain(const std::string& buffer, const std::vector<BufferWait>& waits)
{
    for (const BufferWait& wait : waits)
        if (wait.wanted.empty() && ends_with(buffer, " -> " + wait.at))
            return ", where the chain ends: " + wait.at +
                " holds packets, and its model does not say what they wait for";
    return ", where no packet waits: its credits were not returned";
}

}  // namespace

std::vector<std::string> blocked_chain(const std::vector<BufferWait>& waits)
{
    // By the buffer that is held: those who wait there.
    std::map<std::string, std::vector<std::size_t>> holders;
    for (std::size_t i = 0; i < waits.size(); ++i)
        if (!waits[i].held.empty()) holders[waits[i].held].push_back(i);

    // Depth first over all waits; the first edge back to the present path closes a circle.
    enum class Mark : std::uint8_t { fresh, open, done };
    std::vector<Mark> marks(waits.size(), Mark::fresh);
    struct Frame {
        std::size_t wait;
        std::size_t next;
    };
    std::vector<std::size_t> longest;
    for (std::size_t start = 0; start < waits.size(); ++start) {
        if (marks[start] != Mark::fresh || waits[start].wanted.empty()) continue;
        std::vector<Frame> path{{start, 0}};
        marks[start] = Mark::open;
        while (!path.empty()) {
            Frame& top = path.back();
            const auto next = holders.find(waits[top.wait].wanted);
            if (next == holders.end() || top.next >= next->second.size()) {
                if (next == holders.end() && path.size() > longest.size()) {
                    longest.clear();
                    for (const Frame& frame : path) longest.push_back(frame.wait);
                }
                marks[top.wait] = Mark::done;
                path.pop_back();
                continue;
            }
            const std::size_t to = next->second[top.next++];
            if (marks[to] == Mark::open) {
                std::vector<std::string> out{"circular wait:"};
                std::size_t first = 0;
                while (path[first].wait != to) ++first;
                for (std::size_t i = first; i < path.size(); ++i) out.push_back("  " + step_of(waits[path[i].wait]));
                out.back() += ", which closes the circle";
                return out;
            }
            if (marks[to] == Mark::done) continue;
            marks[to] = Mark::open;
            path.push_back({to, 0});
        }
    }
    if (longest.empty()) return {};
    std::vector<std::string> out{"chain of waiting:"};
    for (const std::size_t i : longest) out.push_back("  " + step_of(waits[i]));
    out.back() += end_of_chain(waits[longest.back()].wanted, waits);
    return out;
}

}  // namespace weft
