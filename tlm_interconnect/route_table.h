// The output ports, with their lanes, of one node for each destination endpoint.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class RouteTable {
public:
    struct Choice {
        const std::uint16_t* entries;  // equal alternatives, ascending
        unsigned count;                // 0: no way there

        unsigned port(unsigned i) const { return port_of(entries[i]); }
        unsigned lane(unsigned i) const { return lane_of(entries[i]); }
    };
    static std::uint16_t entry(unsigned port, unsigned lane) { return static_cast<std::uint16_t>(port | lane << 12); }
    static unsigned port_of(std::uint16_t entry) { return entry & 0xfffU; }
    static unsigned lane_of(std::uint16_t entry) { return entry >> 12U; }

    // `ports_of[d]` lists the entries towards endpoint d.
    explicit RouteTable(const std::vector<std::vector<std::uint16_t>>& ports_of = {})
    {
        first_.reserve(ports_of.size() + 1);
        first_.push_back(0);
        for (const std::vector<std::uint16_t>& ports : ports_of) {
            ports_.insert(ports_.end(), ports.begin(), ports.end());
            first_.push_back(static_cast<std::uint32_t>(ports_.size()));
        }
    }

    Choice ports_to(std::uint32_t endpoint) const
    {
        if (endpoint >= endpoints()) return group_ports(endpoint);
        return {ports_.data() + first_[endpoint], first_[endpoint + 1] - first_[endpoint]};
    }
    std::size_t endpoints() const { return first_.size() - 1; }
    // Lanes that the routes through this node tell apart.
    unsigned lanes() const
    {
        unsigned highest = 0;
        for (const std::uint16_t entry : ports_) highest = entry >> 12U > highest ? entry >> 12U : highest;
        return highest + 1;
    }

    // The ways to the switches that carry out operations on group `id`. Every endpoint of the group must list them so
    // that the same digit leads to the same switch.
    void set_group(std::uint16_t id, std::vector<std::uint16_t> entries)
    {
        groups_.push_back({id, std::move(entries)});
    }

private:
    struct Group {
        std::uint16_t id;
        std::vector<std::uint16_t> entries;
    };

    Choice group_ports(std::uint32_t id) const
    {
        for (const Group& group : groups_)
            if (group.id == id) return {group.entries.data(), static_cast<unsigned>(group.entries.size())};
        return {nullptr, 0};
    }

    std::vector<Group> groups_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint16_t> ports_;
};

}  // namespace weft
