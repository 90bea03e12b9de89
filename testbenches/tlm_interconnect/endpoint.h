// An endpoint of a fabric for tests: issues lines when told to, answers the requests of others, and keeps
// a record of both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm_interconnect/switch/output_port.h"
#include "tlm_interconnect/routing/route_table.h"

namespace weft::testing {

class Endpoint :
    public sc_core::sc_module,
    public TimedComponent,
    public LineInitiator,
    public LineTarget,
    public OutputPortOwner {
public:
    // `service`: time from a request's arrival to its answer at the output port; its buffer slot is
    // free at the end of it.
    Endpoint(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool, unsigned index,
        unsigned ports, RouteTable routes, Time service = 0);

    LineInitiatorSocket& out(unsigned port) { return *ports_[port]->out; }
    LineTargetSocket& in(unsigned port) { return *ports_[port]->in; }
    OutputPort& output(unsigned port) { return *ports_[port]->output; }

    // A line that becomes ready to leave at `at`.
    Line& issue(Time at, LineOp op, unsigned to, std::uint64_t local, std::uint32_t size = 64,
        std::uint32_t transfer = 0);

    struct Record {
        Time at;
        std::uint16_t source;
        std::uint32_t tag;   // counts the source's lines
        std::uint32_t tail;  // of a wide transaction
    };
    std::vector<Record> served;    // requests of others, when they arrived
    std::vector<Record> answered;  // own requests, when their answers arrived
    std::uint32_t issued() const { return tags_; }

    // The credit of the request number `which` served here, from 0, never goes back.
    void drop_credit(unsigned which) { dropped_ = static_cast<int>(which); }
    // Credits of answers come back after `hold` instead of at once.
    void hold_answers(Time hold) { hold_ = hold; }

private:
    static constexpr std::uint8_t issue_kind = 0;
    static constexpr std::uint8_t arrival_kind = 1;
    static constexpr std::uint8_t service_kind = 2;
    static constexpr std::uint8_t answer_kind = 3;

    struct Port {
        std::unique_ptr<LineInitiatorSocket> out;
        std::unique_ptr<LineTargetSocket> in;
        std::unique_ptr<OutputPort> output;
    };

    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;
    void on_response_credit(unsigned port, Line& line, Time delay) override;
    void on_sent(unsigned, Line&, LineClass, unsigned) override {}
    void run(ScheduledItem& item) override;
    void arbitrate() override;

    LinePool& pool_;
    RouteTable routes_;
    std::uint16_t index_;
    Time service_;
    Time hold_ = 0;
    int dropped_ = -1;
    int replied_ = 0;
    std::uint32_t tags_ = 0;
    std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace weft::testing
