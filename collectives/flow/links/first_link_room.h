// Room, in bytes, behind the first links of senders, where what waits for another link keeps the first one from what follows.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class FirstLinkRoom {
public:
    // Whether something that has passed the group waits behind it.
    bool holds(std::uint32_t group) const { return group < groups_.size() && groups_[group].held > 0; }
    // Whether that fills its `room`, in bytes.
    bool full(std::uint32_t group, double room) const { return holds(group) && groups_[group].held >= room; }
    // Somebody waits for room; it is full.
    void block(std::uint32_t group) { groups_[group].blocked = true; }
    void hold(std::uint32_t group, double bytes)
    {
        if (groups_.size() <= group) groups_.resize(group + 1);
        groups_[group].held += bytes;
    }
    // Whether somebody waited for it.
    bool release(std::uint32_t group, double bytes)
    {
        groups_[group].held -= bytes;
        const bool out = groups_[group].blocked;
        groups_[group].blocked = false;
        return out;
    }

private:
    struct Group {
        double held = 0;  // bytes
        bool blocked = false;
    };
    std::vector<Group> groups_;
};

}  // namespace weft
