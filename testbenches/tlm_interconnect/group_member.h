// An endpoint with memory for tests of operations on groups: issues lines with given data, serves reads and
// writes from its memory, counts the bytes of its link.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tlm_interconnect/switch/output_port.h"
#include "tlm_interconnect/routing/route_table.h"

namespace weft::testing {

class GroupMember :
    public sc_core::sc_module,
    public TimedComponent,
    public LineInitiator,
    public LineTarget,
    public OutputPortOwner {
public:
    // One port per entry of the link count; requests take port (line number) % ports.
    GroupMember(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool,
        std::uint16_t index, unsigned ports);

    LineInitiatorSocket& out(unsigned port) { return *ports_[port]->out; }
    LineTargetSocket& in(unsigned port) { return *ports_[port]->in; }
    OutputPort& output(unsigned port) { return *ports_[port]->output; }

    std::vector<float>& memory(std::uint64_t local);  // the 16 elements of a line
    Line& issue(Time at, LineOp op, std::uint16_t to, std::uint64_t local, bool posted = false,
        std::uint32_t size = 64);
    void delay_reads(Time time) { read_time_ = time; }

    struct Answer {
        Time at;
        LineOp op;
        std::uint64_t local;
        std::vector<float> data;
    };
    std::vector<Answer> answers;
    std::function<void(const Answer&)> on_answer;

private:
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
    void serve(Line& line);

    LinePool& pool_;
    std::uint16_t index_;
    Time read_time_ = 0;
    std::uint32_t tags_ = 0;
    std::vector<std::unique_ptr<Port>> ports_;
    std::map<std::uint64_t, std::vector<float>> memory_;
};

}  // namespace weft::testing
