// An endpoint of open-loop traffic: a source with a queue that has no end, and a sink.
//
// Sockets: out(p) and in(p) for each of its ports.
//
// Timing: in each slot a message is created with chance load / message lines (or bursts of them, with the same mean).
// Its lines wait in the source queue until the port takes them (output_port.h). A line counts as arrived when the
// link has delivered it; its buffer slot is free at once. Reads, atomics and writes that are not posted are answered in
// the same instant, through the same ports; what they carry counts as throughput when the answer has arrived.
//
// Lines of one message take consecutive addresses in a random place of the destination's first GiB: they spread over
// equal paths as data do, or by `path_selection` otherwise. VC sets that a route leaves open are used in turn.
//
// Statistics: lines created, sent, received, answers received; largest source queue.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/statistic.h"
#include "tlm_interconnect/switch/output_port.h"
#include "tlm_interconnect/routing/route_table.h"
#include "tlm_interconnect/traffic/measurement.h"
#include "tlm_interconnect/traffic/traffic_spec.h"

namespace weft {

class TrafficEndpoint final :
    public sc_core::sc_module,
    public TimedComponent,
    public LineInitiator,
    public LineTarget,
    public OutputPortOwner,
    public StatisticsProvider {
public:
    // `arrivals` takes the time from creation to arrival at the destination, `round_trips` from creation to
    // the answer. Both outlive this.
    TrafficEndpoint(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool,
        std::uint32_t index, unsigned ports, RouteTable routes, const TrafficSpec& spec, const Pattern& pattern,
        Measurement& arrivals, Measurement& round_trips);

    LineInitiatorSocket& out(unsigned port) { return *ports_[port]->out; }
    LineTargetSocket& in(unsigned port) { return *ports_[port]->in; }
    OutputPort& output(unsigned port) { return *ports_[port]->output; }
    void set_credits(unsigned port, const BufferSpace& space);
    // Messages to oneself go out and come back, instead of not being sent at all.
    void loop_back(bool on) { loop_back_ = on; }
    // Requests take all VC sets of the first link in turn, as lanes, instead of the one of their route. Before set_credits().
    void take_all_vc_sets(bool on) { all_vc_sets_ = on; }

    std::uint64_t created() const { return created_; }
    std::uint64_t sent() const { return sent_; }
    std::uint64_t received() const { return received_; }
    std::uint64_t answers() const { return answers_; }
    std::uint64_t waiting() const;  // lines in the source queue
    std::vector<std::string> blocked() const;

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;
    void on_response_credit(unsigned port, Line& line, Time delay) override;

private:
    struct Pending {
        Time created;
        std::uint64_t address;
        std::uint32_t path_hash;  // what is left of it after the first choice
        std::uint32_t transfer;   // number of the message; 0: one line
        LineOp op;
        std::uint8_t vc_set;  // of the route
    };
    struct Port {
        std::unique_ptr<LineInitiatorSocket> out;
        std::unique_ptr<LineTargetSocket> in;
        std::unique_ptr<OutputPort> output;
        std::deque<Pending> pending;
        unsigned vc_sets = 1;  // taken in turn for each VC set of the routes
        unsigned turn = 0;
        std::uint32_t in_port = 0;  // requests of ours that the port holds
    };
    static constexpr std::uint8_t create_kind = 2;
    static constexpr std::uint8_t answer_kind = 3;

    void on_sent(unsigned port, Line& line, LineClass cls, unsigned input) override;
    void run(ScheduledItem& item) override;
    void arbitrate() override;
    void start_of_simulation() override;

    void plan();
    void create(Time now);
    std::uint64_t path_hash_of(std::uint32_t to, std::uint64_t number);
    // What a block in the fabric has brought here wrongly ends the run.
    void refuse(const char* what, const Line& line);
    void feed(Port& port);

    LinePool& pool_;
    std::uint32_t index_;
    RouteTable routes_;
    unsigned route_vc_sets_;
    TrafficSpec spec_;
    const Pattern& pattern_;
    Measurement& arrivals_;
    Measurement& round_trips_;
    RandomStream random_;
    std::vector<std::unique_ptr<Port>> ports_;
    std::vector<std::uint32_t> turns_;  // round_robin: lines so far, by destination
    bool loop_back_ = false;
    bool all_vc_sets_ = false;
    ScheduledItem create_;
    std::uint64_t slot_ = 0;        // of the next message
    std::uint64_t burst_left_ = 0;  // messages still to come in this burst
    std::uint64_t messages_ = 0;
    std::uint64_t created_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t answers_ = 0;
    std::uint64_t peak_ = 0;
};

}  // namespace weft
