#include "platform/parallel/process_transport.h"

#include <algorithm>

namespace weft {

ProcessTransport::ProcessTransport(Processes& processes, std::vector<std::uint32_t> process_of,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cuts)
    : processes_(processes), parts_(process_of.size()), out_(parts_ * parts_), in_(parts_ * parts_)
{
    const std::uint32_t here = processes.rank();
    for (const auto& [from, to] : cuts) {
        const std::size_t pair = from * parts_ + to;
        const auto tag = static_cast<std::uint32_t>(pair);
        if (process_of[from] == here && process_of[to] == here) {
            within_.push_back(pair);
        } else if (process_of[from] == here) {
            leaves_.push_back(pair);
            sent_.push_back({process_of[to], tag, &out_[pair]});
        } else if (process_of[to] == here) {
            received_.push_back({process_of[from], tag, &in_[pair]});
        }
    }
}

bool ProcessTransport::exchange()
{
    bool any = false;
    for (const std::size_t pair : within_) {
        in_[pair].clear();
        in_[pair].swap(out_[pair]);
        any = any || !in_[pair].empty();
    }
    processes_.exchange(sent_, received_);
    for (const std::size_t pair : leaves_) out_[pair].clear();
    return any ||
        std::any_of(received_.begin(), received_.end(), [](const auto& each) { return !each.bytes->empty(); });
}

}  // namespace weft
