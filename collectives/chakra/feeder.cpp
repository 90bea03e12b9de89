#include "collectives/chakra/feeder.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/diagnostic.h"

namespace weft::chakra {

Feeder::Feeder(std::unique_ptr<NodeReader> reader, FeederOptions options)
    : reader_(std::move(reader)), file_(reader_->file()), options_(std::move(options)),
      needed_(options_.read_ahead ? options_.read_ahead->at_start(options_.control)
                                  : std::numeric_limits<std::uint64_t>::max())
{
    fill();
}

void Feeder::fill()
{
    // Where nothing is free, the rest of the file holds no node, or a cycle.
    while (reader_ && (read_ < needed_ || window_size() < options_.least || (ready_count_ == 0 && in_flight_.empty())))
        if (!read_one()) return;
}

bool Feeder::is_known(std::uint64_t id) const
{
    const auto has = [id](const auto& nodes) { return nodes.count(id) != 0; };
    return finished_.contains(id) || waiting_.count(id) != 0 || in_flight_.count(id) != 0 ||
        std::any_of(ready_.begin(), ready_.end(), has);
}

std::vector<std::uint64_t> Feeder::unfinished_parents(const Node& node) const
{
    std::vector<std::uint64_t> parents = node.data_deps;
    if (options_.control) parents.insert(parents.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    const auto is_settled = [this](std::uint64_t id) {
        return finished_.contains(id) || (options_.absent && options_.absent->contains(id));
    };
    parents.erase(std::remove_if(parents.begin(), parents.end(), is_settled), parents.end());
    return parents;
}

bool Feeder::read_one()
{
    Node node;
    if (!reader_ || !reader_->next(node)) {
        reader_.reset();
        return false;
    }
    ++read_;
    if (is_known(node.id))
        throw InputError(file_, node.line, label_of(node) + ": a second node with this id", "ids that occur once");
    const std::vector<std::uint64_t> parents = unfinished_parents(node);
    if (parents.empty()) {
        make_ready(std::move(node));
    } else {
        const std::uint64_t id = node.id;
        for (const std::uint64_t parent : parents) children_[parent].push_back(id);
        waiting_.emplace(id, Waiting{std::move(node), parents.size()});
    }
    peak_ = std::max(peak_, window_size());
    return true;
}

void Feeder::make_ready(Node node)
{
    const std::uint64_t id = node.id;
    ready_[static_cast<std::size_t>(resource_of(node))].emplace(id, std::move(node));
    ++ready_count_;
}

bool Feeder::next(Node& node, ResourceMask allowed)
{
    std::map<std::uint64_t, Node>* lowest = nullptr;
    for (std::size_t resource = 0; resource < resource_count; ++resource) {
        auto& ready = ready_[resource];
        if ((allowed >> resource & 1U) == 0 || ready.empty()) continue;
        if (lowest == nullptr || ready.begin()->first < lowest->begin()->first) lowest = &ready;
    }
    if (lowest == nullptr) return false;
    node = std::move(lowest->begin()->second);
    lowest->erase(lowest->begin());
    --ready_count_;
    in_flight_.insert(node.id);
    return true;
}

void Feeder::finish(std::uint64_t id)
{
    if (in_flight_.erase(id) == 0)
        throw std::logic_error("chakra::Feeder: node " + std::to_string(id) + " is not in flight");
    finished_.insert(id);
    const auto found = children_.find(id);
    if (found != children_.end()) {
        for (const std::uint64_t child : found->second) {
            const auto entry = waiting_.find(child);
            if (--entry->second.unfinished > 0) continue;
            make_ready(std::move(entry->second.node));
            waiting_.erase(entry);
        }
        children_.erase(found);
    }
    if (options_.read_ahead) needed_ = std::max(needed_, options_.read_ahead->after(id, options_.control));
    fill();
}

bool Feeder::done() const { return !reader_ && window_size() == 0; }

std::vector<WaitingNode> Feeder::waiting(std::size_t limit) const
{
    std::vector<WaitingNode> out;
    for (const auto& [id, entry] : waiting_) {
        if (out.size() == limit) break;
        out.push_back({id, entry.node.name, entry.node.type, entry.node.line, unfinished_parents(entry.node)});
    }
    return out;
}

}  // namespace weft::chakra
