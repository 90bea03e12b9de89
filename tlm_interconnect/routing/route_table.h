// The output ports, with their VC sets, of one node for each destination endpoint.
//
// Where a route has phases (first to some group, then to the destination) the port and VC set by which a line comes in
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
        unsigned count;                // 0: no route there

        unsigned port(unsigned i) const { return port_of(entries[i]); }
        unsigned vc_set(unsigned i) const { return vc_set_of(entries[i]); }
    };
    static std::uint16_t entry(unsigned port, unsigned vc_set)
    {
        return static_cast<std::uint16_t>(port | vc_set << 12);
    }
    static unsigned port_of(std::uint16_t entry) { return entry & 0xfffU; }
    static unsigned vc_set_of(std::uint16_t entry) { return entry >> 12U; }

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

    // `phase_of[port * max_vc_sets + vc_set]`: phase of what comes in there. In phase 0 the path hash is scattered by
    // `seed`.
    void set_phases(unsigned phases, std::vector<std::uint8_t> phase_of, std::uint64_t seed)
    {
        endpoints_ /= phases;
        phase_of_ = std::move(phase_of);
        seed_ = seed;
    }
    bool phased() const { return !phase_of_.empty(); }
    unsigned phase(unsigned port, unsigned vc_set) const
    {
        const std::size_t place = std::size_t{port} * max_vc_sets + vc_set;
        return place < phase_of_.size() ? phase_of_[place] : 0;
    }
    // Whether lines choose anew, as if at random, when they begin here.
    bool scatters(unsigned phase) const { return phase == 0 && phased(); }
    std::uint64_t seed() const { return seed_; }

    // VC sets that the routes tell apart, through this node at least.
    void set_vc_sets(unsigned vc_sets) { vc_sets_ = vc_sets; }
    unsigned vc_sets() const
    {
        unsigned highest = vc_sets_ - 1;
        for (const std::uint16_t entry : ports_) highest = entry >> 12U > highest ? entry >> 12U : highest;
        return highest + 1;
    }

    // The routes to the switches that carry out operations on group `id` (from first_group on). Every endpoint of the
    // group must list them so that the same path hash leads to the same switch.
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
    unsigned vc_sets_ = 1;
};

}  // namespace weft
