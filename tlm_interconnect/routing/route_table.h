// The output ports, with their lanes, of one node for each destination endpoint.
//
// Where a route has phases (first to some group, then to the destination) the port and lane by which a line comes in
// tell its phase, and each phase has rows of its own. The line itself carries nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm_interconnect/protocol/switch_group.h"
#include "tlm_interconnect/protocol/virtual_channel.h"

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

    // `ports_of[d]` lists the entries towards endpoint d; with phases, `ports_of[phase * endpoints + d]`.
    explicit RouteTable(const std::vector<std::vector<std::uint16_t>>& ports_of = {}) : endpoints_(ports_of.size())
    {
        first_.reserve(ports_of.size() + 1);
        first_.push_back(0);
        for (const std::vector<std::uint16_t>& ports : ports_of) {
            ports_.insert(ports_.end(), ports.begin(), ports.end());
            first_.push_back(static_cast<std::uint32_t>(ports_.size()));
        }
    }

    Choice ports_to(std::uint32_t endpoint, unsigned phase = 0) const
    {
        if (endpoint >= endpoints_) return group_ports(endpoint);
        const std::size_t row = phase * endpoints_ + endpoint;
        return {ports_.data() + first_[row], first_[row + 1] - first_[row]};
    }
    std::size_t endpoints() const { return endpoints_; }

    // `phase_of[port * max_lanes + lane]`: phase of what comes in there. In phase 0 digits are scattered by `seed`.
    void set_phases(unsigned phases, std::vector<std::uint8_t> phase_of, std::uint64_t seed)
    {
        endpoints_ /= phases;
        phase_of_ = std::move(phase_of);
        seed_ = seed;
    }
    bool phased() const { return !phase_of_.empty(); }
    unsigned phase(unsigned port, unsigned lane) const
    {
        const std::size_t place = std::size_t{port} * max_lanes + lane;
        return place < phase_of_.size() ? phase_of_[place] : 0;
    }
    // Whether lines choose anew, as if at random, when they begin here.
    bool scatters(unsigned phase) const { return phase == 0 && phased(); }
    std::uint64_t seed() const { return seed_; }

    // Lanes that the routes tell apart, through this node at least.
    void set_lanes(unsigned lanes) { lanes_ = lanes; }
    unsigned lanes() const
    {
        unsigned highest = lanes_ - 1;
        for (const std::uint16_t entry : ports_) highest = entry >> 12U > highest ? entry >> 12U : highest;
        return highest + 1;
    }

    // The ways to the switches that carry out operations on group `id` (from first_group on). Every endpoint of the
    // group must list them so that the same digit leads to the same switch.
    void set_group(std::uint16_t id, std::vector<std::uint16_t> entries)
    {
        const std::size_t place = id - first_group;
        if (groups_.size() <= place) groups_.resize(place + 1);
        groups_[place] = std::move(entries);
    }

private:
    Choice group_ports(std::uint32_t id) const
    {
        if (id < first_group || id - first_group >= groups_.size()) return {nullptr, 0};
        const std::vector<std::uint16_t>& entries = groups_[id - first_group];
        return {entries.data(), static_cast<unsigned>(entries.size())};
    }

    std::vector<std::vector<std::uint16_t>> groups_;  // by number, from first_group on
    std::vector<std::uint32_t> first_;
    std::vector<std::uint16_t> ports_;
    std::size_t endpoints_;
    std::vector<std::uint8_t> phase_of_;
    std::uint64_t seed_ = 0;
    unsigned lanes_ = 1;
};

}  // namespace weft
