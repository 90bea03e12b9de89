// The on-die network of a GPU: compute units and fabric ports to L2 slices, and compute units to
// fabric ports.
//
// Sockets: units (from the compute units), from_port[p] (requests that arrive over the fabric),
// to_slice[s], to_port[p] (requests to other GPUs).
//
// Timing: a pass-through; each of the six paths adds its latency of GpuSpec. It has no bandwidth limit of
// its own: slices and ports are the places where lines meet.
#pragma once

#include <memory>
#include <vector>

#include "base/divider.h"
#include "gpu/gpu_spec.h"
#include "tlm_interconnect/protocol.h"
#include "tlm_interconnect/route_table.h"

namespace weft {

class Crossbar : public sc_core::sc_module, public LineTarget, public LineInitiator {
public:
    Crossbar(sc_core::sc_module_name name, const GpuSpec& spec, std::uint32_t endpoint, unsigned slices, unsigned ports,
        RouteTable routes);

    LineTargetSocket units;
    LineTargetSocket& from_port(unsigned port) { return *from_ports_[port]; }
    LineInitiatorSocket& to_port(unsigned port) { return *to_ports_[port]; }
    LineInitiatorSocket& to_slice(unsigned slice) { return *to_slices_[slice]; }

    // Lines handed on, in both directions.
    std::uint64_t hops() const;

private:
    // Port numbers: targets 0 = units, 1 + p = fabric port p; initiators s = slice s, slices + p = port p.
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;
    unsigned debug(unsigned port, Line& line) override;

    GpuSpec spec_;
    std::uint32_t endpoint_;
    Divider slices_;
    RouteTable routes_;
    std::vector<std::unique_ptr<LineInitiatorSocket>> to_slices_;
    std::vector<std::unique_ptr<LineInitiatorSocket>> to_ports_;
    std::vector<std::unique_ptr<LineTargetSocket>> from_ports_;
};

}  // namespace weft
