// The connection of a GPU to a link: one port of its fabric interface.
//
// Sockets: link_out and link_in (to and from the link), die_in (requests of the own compute units, from the
// crossbar), die_out (requests of other GPUs, to the crossbar).
//
// Timing: lines going out wait for credits and for the wire (output_port.h; `gpu.port_arbiter` says who goes first: by
// default requests of own units and responses to others alternate). Lines coming in pass through. The buffer slot of an
// incoming request is free when its L2 slice begins to serve it; that of an incoming response at once, because whoever
// asked has room for the response.
//
// Statistics: lines sent, largest queue, time lines waited for credits while the wire was free.
#pragma once

#include <array>
#include <string>

#include "base/statistic.h"
#include "gpu/network/die_ports.h"
#include "gpu/interface/gpu_spec.h"
#include "tlm_interconnect/switch/output_port.h"

namespace weft {

class FabricPort final :
    public sc_core::sc_module,
    public TimedComponent,
    public LineTarget,
    public LineInitiator,
    public OutputPortOwner,
    public StatisticsProvider {
public:
    // A port of the GPU with number `endpoint`.
    FabricPort(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
        std::uint32_t endpoint);

    LineInitiatorSocket link_out;
    LineTargetSocket link_in;
    LineTargetSocket die_in;
    LineInitiatorSocket die_out;

    // Its ports on the on-die network; `exits`: of slices, for responses to other GPUs. Before time starts.
    void set_ports(std::uint64_t rate, std::uint32_t header, DiePorts* exits)
    {
        from_link_.fill(DiePorts(1, rate, header));
        to_link_ = from_link_;
        exits_ = exits;
    }
    // By class.
    std::array<DiePorts, line_classes>& from_link() { return from_link_; }
    std::array<DiePorts, line_classes>& to_link() { return to_link_; }

    // Lines handed on, in both directions.
    std::uint64_t hops() const
    {
        const std::uint64_t out = output_.handed_on() + link_out.requests() + link_in.responses();
        return out + die_out.requests() + die_in.responses();
    }

    OutputPort& output() { return output_; }
    const OutputPort& output() const { return output_; }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override { output_.reset_statistics(); }

    // What comes in by the sockets.
    Time on_request(unsigned side, Line& line, Time delay) override;
    Time on_response(unsigned side, Line& line, Time delay) override;
    void on_request_credit(unsigned side, Line& line, Time delay) override;
    void on_response_credit(unsigned side, Line& line, Time delay) override;

private:
    static constexpr unsigned link_side = 0;
    static constexpr unsigned die_side = 1;

    unsigned debug(unsigned side, Line& line) override;
    void on_sent(unsigned, Line&, LineClass, unsigned) override {}
    void run(ScheduledItem& item) override;
    void arbitrate() override;
    void prefetch(const ScheduledItem& item) const override;

    // A line on the event queue: its class in the lowest bit, then DieStage.
    static std::uint8_t kind_of(LineClass cls, DieStage stage)
    {
        return static_cast<std::uint8_t>(static_cast<unsigned>(cls) | static_cast<unsigned>(stage) << 1U);
    }
    bool try_arrive(Line& line);
    [[gnu::noinline]] [[gnu::cold]] void refuse(const Line& line, const char* what);
    bool is_answer(Line& line);

    const std::uint32_t endpoint_;

    OutputPort output_;
    Time enter_die(const Line& line, LineClass cls, Time delay)
    {
        const Time now = event_queue().now();
        return from_link_[static_cast<unsigned>(cls)].book(0, line, cls, now + delay) - now;
    }
    bool admits() const { return exits_ != nullptr || to_link_[0].limited(); }

    std::array<DiePorts, line_classes> from_link_;
    std::array<DiePorts, line_classes> to_link_;
    DiePorts* exits_ = nullptr;
};

class ModuleTree;

// Fills `ports` with those of the GPU whose module is `gpu`: modules GPU.port.0, GPU.port.1, .. and below `path` on the event queue.
void make_ports(sc_core::sc_vector<FabricPort>& ports, ModuleTree& tree, const std::string& gpu, unsigned count,
    EventQueue& event_queue, const std::string& path, const GpuSpec& spec, std::uint32_t endpoint);

}  // namespace weft
