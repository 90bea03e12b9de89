// The on-die network of a GPU: compute units and fabric ports to L2 slices, and compute units to
// fabric ports. A crossbar, or a mesh of tiles.
//
// Sockets: units (from the compute units), dma_engines (from the copy engines), from_port[p] (requests that arrive over
// the fabric), to_slice[s], to_port[p] (requests to other GPUs); to_home where the L2's partitions are caches of their own.
//
// Which slice: the one of the address (slice_place). With mirrored partitions, reads and writes of the own units go to
// the slice of that number in the unit's own partition; with private ones to the own partition's slice for the
// address, and everything else (peers, atomics, flags) to the memory side. Unit u of n is in partition
// u x partitions / n.
//
// Timing: each of the six paths adds its latency of GpuSpec, and a unit whose atomic or flag lies in the other
// mirrored partition l2.far_latency each way; a mesh adds its hops (mesh.h). Units, slices and ports take and give so
// many bytes a second (die_ports.h), each its own. The exits of slices are here; a crossbar leaves them to whom
// they lead to; in a mesh a line has an event at every tile, and leaves its slice at the first. What goes to the memory
// side of private partitions leaves the network where it is and has no limit beside its source's.
//
// Statistics: of each kind of end, and of a mesh's links, bytes and the time of the busiest; of a mesh the busiest link.
#pragma once

#include <memory>
#include <vector>

#include "base/divider.h"
#include "base/statistic.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/interface/network_spec.h"
#include "gpu/network/die_account.h"
#include "gpu/network/die_ports.h"
#include "gpu/network/mesh.h"
#include "sc_models/l2/l2_slice.h"
#include "tlm_interconnect/protocol/socket_array.h"
#include "tlm_interconnect/routing/route_table.h"

namespace weft {

class Crossbar final :
    public sc_core::sc_module,
    public TimedComponent,
    public LineTarget,
    public LineInitiator,
    public StatisticsProvider {
public:
    Crossbar(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
        const NetworkSpec& network, const L2Spec& l2, std::uint32_t endpoint, unsigned ports, RouteTable routes);

    LineTargetSocket units;
    LineTargetSocket dma_engines;
    LineTargetSocket& from_port(unsigned port) { return from_ports_[port]; }
    LineInitiatorSocket& to_port(unsigned port) { return to_ports_[port]; }
    LineInitiatorSocket& to_slice(unsigned slice) { return to_slices_[slice]; }

    LineInitiatorSocket& to_home() { return *to_home_; }
    // Exits of slices towards units or fabric ports, for whoever books them when lines arrive; none: they are no limit there, or the
    // mesh books them.
    DiePorts* exits_to_units() { return exits_at_end() ? &to_units_ : nullptr; }
    DiePorts* exits_to_ports() { return exits_at_end() ? &to_fabric_ : nullptr; }
    // Bytes per second into a slice; 0: a port of its own adds nothing there.
    std::uint64_t into_slice() const { return into_slice_; }
    // Ports of other modules, for the account of the network.
    DieAccount& account() { return account_; }
    void count_exits()
    {
        account_.count("slice_out", to_units_.servers());
        account_.count("slice_out", to_fabric_.servers());
    }
    void add_group(std::uint16_t id, std::vector<std::uint16_t> ports) { routes_.set_group(id, std::move(ports)); }

    // Lines handed on, in both directions.
    std::uint64_t hops() const;

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    // Port numbers: targets 0 = units and dma_engines, 1 + p = fabric port p; initiators s = slice s, slices = home,
    // slices + 1 + p = port p. Those of the other side are the exits of the network.
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;

private:
    unsigned debug(unsigned port, Line& line) override;
    void run(ScheduledItem& item) override;

    unsigned partition_of(const Line& line) const;  // of the unit that issued it
    unsigned slice_of(const Line& line) const       // that is home of the address
    {
        return slice_place(local_of(line.address) / line_bytes, hash_, interleave_shift_).slice;
    }
    unsigned home_of(const Line& line) const { return to_home_ ? slices_ : slice_of(line); }
    // The slice for a line of an own unit, where there are several partitions.
    unsigned slice_for_unit(const Line& line, Time& delay) const;
    bool exits_at_end() const { return to_units_.limited() && !mesh_; }
    void hand_request(Line& line, bool of_port, unsigned exit, Time delay);
    // What the exit is bound to.
    LineForward& bound(unsigned exit)
    {
        if (bound_[exit] == nullptr) bound_[exit] = &exits_[exit]->bound();
        return *bound_[exit];
    }
    void hand_response(Line& line, bool of_port, unsigned exit, Time delay);
    void answer_from_port(Line& line, unsigned link, Time delay);

    // On the event queue in a mesh: the class is the lowest bit.
    static constexpr std::uint8_t leaving_slice = 2;
    static constexpr std::uint8_t came_from_port = 4;
    void enter_mesh(Line& line, std::uint8_t kind, unsigned tile, unsigned exit, Time delay);
    unsigned tile_of_port(unsigned port) const { return mesh_->tile_of_port(port, to_ports_.size()); }
    unsigned tile_of_unit(const Line& line) const;
    unsigned tile_of_slice(unsigned slice) const { return mesh_->tile_of(slice, slices_); }
    unsigned tile_of_exit(const Line& line, LineClass cls, unsigned exit) const;

    GpuSpec spec_;
    std::uint32_t endpoint_;
    unsigned interleave_shift_;
    unsigned slices_;
    unsigned partitions_;
    unsigned in_partition_;  // slices
    Time far_latency_;
    Divider hash_;
    std::vector<std::uint8_t> partition_of_unit_;
    RouteTable routes_;
    std::uint32_t header_;
    std::uint64_t into_slice_;
    DiePorts to_units_;  // out of slices
    DiePorts to_fabric_;
    DieAccount account_;
    std::unique_ptr<Mesh> mesh_;
    std::vector<LineInitiatorSocket*> exits_;  // of requests, by number
    std::vector<LineForward*> bound_;          // by number, next to each other for the host; null: not looked up
    std::uint64_t requests_ = 0;               // handed on, past the counts of the sockets
    sc_core::sc_vector<LineInitiatorSocket> to_slices_;
    sc_core::sc_vector<LineInitiatorSocket> to_ports_;
    sc_core::sc_vector<LineTargetSocket> from_ports_;
    std::unique_ptr<LineInitiatorSocket> to_home_;
};

}  // namespace weft
