// The on-die network of a GPU: compute units and fabric ports to L2 slices, and compute units to
// fabric ports.
//
// Sockets: units (from the compute units), movers (from the copy engines), from_port[p] (requests that arrive over the fabric),
// to_slice[s], to_port[p] (requests to other GPUs); to_home where the L2's partitions are caches of their own.
//
// Which slice: the one of the address (slice_place). With mirrored partitions, reads and writes of the own units go to
// the slice of that number in the unit's own partition; with private ones to the own partition's slice for the
// address, and everything else (peers, atomics, flags) to the memory side. Unit u of n is in partition
// u x partitions / n.
//
// Timing: a pass-through; each of the six paths adds its latency of GpuSpec, and a unit whose atomic or flag lies in
// the other mirrored partition l2.far_latency each way. It has no bandwidth limit of its own: slices and ports are the
// places where lines meet.
#pragma once

#include <memory>
#include <vector>

#include "base/divider.h"
#include "gpu/gpu_spec.h"
#include "sc_models/l2_spec.h"
#include "tlm_interconnect/protocol.h"
#include "tlm_interconnect/route_table.h"

namespace weft {

class Crossbar : public sc_core::sc_module, public LineTarget, public LineInitiator {
public:
    Crossbar(sc_core::sc_module_name name, const GpuSpec& spec, const L2Spec& l2, std::uint32_t endpoint,
        unsigned ports, RouteTable routes);

    LineTargetSocket units;
    LineTargetSocket movers;
    LineTargetSocket& from_port(unsigned port) { return *from_ports_[port]; }
    LineInitiatorSocket& to_port(unsigned port) { return *to_ports_[port]; }
    LineInitiatorSocket& to_slice(unsigned slice) { return *to_slices_[slice]; }

    LineInitiatorSocket& to_home() { return *to_home_; }

    // Lines handed on, in both directions.
    std::uint64_t hops() const;

private:
    // Port numbers: targets 0 = units and movers, 1 + p = fabric port p; initiators s = slice s, slices = home,
    // slices + 1 + p = port p.
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;
    unsigned debug(unsigned port, Line& line) override;

    unsigned partition_of(const Line& line) const;  // of the unit that issued it
    // Back to whoever issued it.
    void answer(Line& line, Time delay);
    LineInitiatorSocket& home_of(const Line& line);
    LineInitiatorSocket& choose(const Line& line, Time& delay);  // for a line of an own unit; several partitions

    GpuSpec spec_;
    std::uint32_t endpoint_;
    unsigned sector_shift_;
    unsigned slices_;
    unsigned partitions_;
    unsigned in_partition_;  // slices
    Time far_latency_;
    Divider hash_;
    std::vector<std::uint8_t> partition_of_unit_;
    RouteTable routes_;
    std::vector<std::unique_ptr<LineInitiatorSocket>> to_slices_;
    std::vector<std::unique_ptr<LineInitiatorSocket>> to_ports_;
    std::vector<std::unique_ptr<LineTargetSocket>> from_ports_;
    std::unique_ptr<LineInitiatorSocket> to_home_;
};

}  // namespace weft
