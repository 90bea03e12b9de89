// Messages between parts of which this process has some.
//
// What parts of one process send each other stays in it. Each pair of parts of different processes that share a link exchanges one
// message a window, also when nothing is on its way.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "platform/parallel/processes.h"
#include "platform/parallel/transport.h"

namespace weft {

class ProcessTransport final : public Transport {
public:
    // `process_of` by part; `cuts`: the pairs of parts that share a link, each in both orders.
    ProcessTransport(Processes& processes, std::vector<std::uint32_t> process_of,
        const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cuts);

    Message& outbox(std::uint32_t from, std::uint32_t to) override { return out_[from * parts_ + to]; }
    const Message& inbox(std::uint32_t to, std::uint32_t from) const override { return in_[from * parts_ + to]; }
    bool exchange() override;
    Pulse agree(const Pulse& own) override { return processes_.agree(own); }

private:
    Processes& processes_;
    std::size_t parts_;
    std::vector<Message> out_;
    std::vector<Message> in_;
    std::vector<std::size_t> within_;  // pairs of parts of this process
    std::vector<std::size_t> leaves_;  // pairs whose messages leave it
    std::vector<Processes::Message> sent_;
    std::vector<Processes::Message> received_;
};

}  // namespace weft
