// The shell of a switch: the common part of all switch models.
//
// Sockets: per port one target (requests in, responses out) and one initiator (requests out, responses in), each bound to a
// link. The shell makes them, routes requests and says so when there is no route, keeps the return path, gives the credit of
// a slot back, sends, and counts what waits for an output.
//
// A model fills in what differs:
//
//     class MySwitch final : public SwitchShell<MySwitch> {
//         void arrive(unsigned port, Line& line, LineClass cls, Time delay);  // a line that is at `port` after `delay`
//         void credited(unsigned port, std::uint8_t vc, Time due);           // the module behind `port` has room again
//         ...                                                                // run(), arbitrate(), what SwitchModel asks for
//     };
//
// Both may be private where the model has `friend SwitchShell<MySwitch>`. `Model` is known here by its type and a final class,
// so that a hop costs one virtual call, that of the TLM interface.
//
// Base: an sc_module that is a TimedComponent; arguments behind the routes are its constructor's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/statistic_table.h"
#include "tlm_interconnect/kernel/timed_module.h"
#include "tlm_interconnect/protocol/socket_array.h"
#include "tlm_interconnect/routing/route_table.h"
#include "tlm_interconnect/switch/debug_route.h"
#include "tlm_interconnect/switch/switch_model.h"

namespace weft {

// Lines that wait for one output: now, and the most since counting began.
struct OutputLoad {
    std::uint32_t queued = 0;
    std::uint32_t peak = 0;

    void join() { peak = std::max(peak, ++queued); }
    void leave() { --queued; }
    void reset() { peak = queued; }
};

// An error of the run: routes lead a line to a switch that knows no way on.
void report_no_route(const std::string& path, std::uint32_t endpoint);
// The same of a credit that nobody has given.
void report_extra_credit(const std::string& path);

template <class Model, class Base = TimedModule>
class SwitchShell : public Base, public LineInitiator, public LineTarget, public SwitchModel {
public:
    LineTargetSocket& target(unsigned port) final { return targets_[port]; }
    LineInitiatorSocket& initiator(unsigned port) final { return initiators_[port]; }
    unsigned port_count() const { return static_cast<unsigned>(targets_.size()); }

    // What comes in by the sockets.
    Time on_request(unsigned port, Line& line, Time delay) final
    {
        model().arrive(port, line, LineClass::request, delay);
        return 0;
    }
    Time on_response(unsigned port, Line& line, Time delay) final
    {
        model().arrive(port, line, LineClass::response, delay);
        return 0;
    }
    void on_request_credit(unsigned port, Line& line, Time delay) final { return_credits(port, line, delay); }
    void on_response_credit(unsigned port, Line& line, Time delay) final { return_credits(port, line, delay); }

    unsigned debug(unsigned port, Line& line) override { return pass_debug(*this, routes_, port, line); }

protected:
    template <class... Arguments>
    SwitchShell(unsigned ports, RouteTable routes, sc_core::sc_module_name name, Arguments&&... arguments)
        : Base(name, std::forward<Arguments>(arguments)...), routes_(std::move(routes)),
          targets_("target", ports, socket_creator<LineTargetSocket>(model())),
          initiators_("initiator", ports, socket_creator<LineInitiatorSocket>(model()))
    {
    }

    // Where a line leaves: the output, and the VC set of the channel that it uses there.
    struct Exit {
        unsigned port;
        unsigned vc_set;
        bool known() const { return port != no_port; }
    };
    static constexpr unsigned no_port = ~0U;

    // Of a request that came by `input`, in `vc_set` of its routes. Where there is none, that has been reported.
    Exit route(Line& line, unsigned input, unsigned vc_set)
    {
        const unsigned phase = routes_.phase(input, vc_set);
        if (routes_.scatters(phase)) line.scatter(routes_.seed());
        const RouteTable::Choice choice = routes_.ports_to(line.destination, phase);
        if (choice.count == 0) {
            report_no_route(this->path(), line.destination);
            return {no_port, 0};
        }
        const unsigned pick = line.pick(choice.count);
        return {choice.port(pick), choice.vc_set(pick)};
    }
    // Of a response: back by the port and in the VC set that its request came in by.
    static Exit route_back(Line& line)
    {
        const Line::Hop hop = line.pop_hop();
        return {hop.port, hop.vc_set};
    }
    static void note_hop(Line& line, unsigned input) { line.push_hop(input, vc_set_of(line.vc)); }

    // The slot of `input` that the line holds is free; `line.vc` still names its channel.
    void free_slot(Line& line, LineClass cls, unsigned input, Time delay = 0)
    {
        if (cls == LineClass::request) {
            targets_[input].return_request_credit(line, delay);
        } else {
            initiators_[input].return_response_credit(line, delay);
        }
    }
    // The time after which the wire of `output` takes the next line.
    Time send(Line& line, LineClass cls, unsigned output, Time delay = 0)
    {
        return cls == LineClass::request ? initiators_[output].send_request(line, delay)
                                         : targets_[output].send_response(line, delay);
    }

    // The credits of a wide transaction. A model with transactions of one line has no use for its own.
    void credited_lines(unsigned port, std::uint8_t vc, Time due, std::uint32_t lines)
    {
        for (; lines > 0; --lines) model().credited(port, vc, due);
    }

    // The two statistics that every switch has.
    void write_lines(StatisticWriter& write) const { write("lines", line_hops()); }
    void write_peak_queue(StatisticWriter& write) const
    {
        std::uint32_t peak = 0;
        for (unsigned p = 0; p < port_count(); ++p) peak = std::max(peak, peak_queue(p));
        write("peak_queue", peak);
    }

    const RouteTable& routes() const { return routes_; }
    // Requests to group `id` go on to the switches that carry it out.
    void set_group_routes(std::uint16_t id, std::vector<std::uint16_t> entries)
    {
        routes_.set_group(id, std::move(entries));
    }

private:
    Model& model() { return static_cast<Model&>(*this); }
    void return_credits(unsigned port, const Line& line, Time delay)
    {
        model().credited_lines(port, line.vc, this->event_queue().now() + delay, line.lines());
    }

    RouteTable routes_;
    sc_core::sc_vector<LineTargetSocket> targets_;
    sc_core::sc_vector<LineInitiatorSocket> initiators_;
};

}  // namespace weft
