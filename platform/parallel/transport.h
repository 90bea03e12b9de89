// How records go from one part of a run to another: bytes, once a window.
//
// Outboxes are filled while a window runs; exchange() empties them into the inboxes of their receivers, which are read until the next
// exchange. One message from each part to each other: order within a message is kept, order among messages means nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/parallel/processes.h"

namespace weft {

class Transport {
public:
    using Message = Bytes;

    virtual ~Transport() = default;
    virtual Message& outbox(std::uint32_t from, std::uint32_t to) = 0;
    virtual const Message& inbox(std::uint32_t to, std::uint32_t from) const = 0;
    // False: nothing was on its way to parts of this process.
    virtual bool exchange() = 0;
    // What holds for the parts of all processes.
    virtual Pulse agree(const Pulse& own) { return own; }
};

// All parts in one process.
class LocalTransport final : public Transport {
public:
    explicit LocalTransport(std::size_t parts) : parts_(parts), out_(parts * parts), in_(parts * parts) {}

    Message& outbox(std::uint32_t from, std::uint32_t to) override { return out_[from * parts_ + to]; }
    const Message& inbox(std::uint32_t to, std::uint32_t from) const override { return in_[from * parts_ + to]; }
    bool exchange() override
    {
        bool any = false;
        for (std::size_t i = 0; i < out_.size(); ++i) {
            in_[i].clear();
            in_[i].swap(out_[i]);
            any = any || !in_[i].empty();
        }
        return any;
    }

private:
    std::size_t parts_;
    std::vector<Message> out_;
    std::vector<Message> in_;
};

}  // namespace weft
