#include "collectives/workload/pipeline_playback.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace weft::workload {

using chakra::Node;
using chakra::NodeType;

namespace {

using MessageKey = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;

MessageKey key_of(const Node& node) { return {node.src.value_or(0), node.dst.value_or(0), node.tag.value_or(0)}; }

}  // namespace

double Playback::bubble() const
{
    const std::uint64_t most = busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
    return most == 0 ? 0 : static_cast<double>(end - most) / static_cast<double>(most);
}

Playback play(const std::vector<std::vector<Node>>& traces, const std::function<std::uint64_t(const Node&)>& cost)
{
    Playback out;
    out.busy.assign(traces.size(), 0);
    std::map<MessageKey, std::uint64_t> sent;  // when
    std::map<MessageKey, bool> sends;          // of these traces
    for (const auto& trace : traces)
        for (const Node& node : trace)
            if (node.type == NodeType::send) sends[key_of(node)] = true;
    std::vector<std::unordered_map<std::uint64_t, std::uint64_t>> ends(traces.size());
    std::vector<std::size_t> next(traces.size(), 0);
    // Nodes stand behind their parents, so each trace goes on until a message is missing.
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t i = 0; i < traces.size(); ++i)
            for (; next[i] < traces[i].size(); ++next[i], moved = true) {
                const Node& node = traces[i][next[i]];
                std::uint64_t end = 0;
                for (const std::uint64_t parent : node.data_deps) end = std::max(end, ends[i].at(parent));
                if (node.type == NodeType::recv && sends.count(key_of(node)) != 0) {
                    const auto message = sent.find(key_of(node));
                    if (message == sent.end()) break;
                    end = std::max(end, message->second);
                }
                if (node.type == NodeType::comp) {
                    const std::uint64_t time = cost(node);
                    out.busy[i] += time;
                    end += time;
                }
                if (node.type == NodeType::send) sent[key_of(node)] = end;
                ends[i][node.id] = end;
                out.end = std::max(out.end, end);
            }
    }
    for (std::size_t i = 0; i < traces.size(); ++i)
        if (next[i] < traces[i].size())
            throw std::logic_error(
                "stages of a pipeline wait for each other at " + chakra::label_of(traces[i][next[i]]));
    return out;
}

}  // namespace weft::workload
