// The border of a mixed run: what stands at the far end of every link that leads out of the nodes at lines.
//
// Purpose: lines that leave become transfers of a FlowCore, and what the core brings becomes lines. The links themselves are
// simulated line by line, with their credits.
// Sockets: one port for each such link (end()).
// One clock: the core's next event is an item of the event queue. The border comes behind all devices of an instant and before the executor.
// Within an instant, lines that arrive over links are handled first, by port; then streams whose next line is due, then events of the core.
//
// Lines between two ranks at lines that pass flow are carried by the core in between; they remain the same objects.
//
// Timing, from lines to flow: a line is carried from the moment at which it arrives at the border's node. Its buffer there is free when the first
// link behind takes it. Its answer waits for the wire of the border's link like any other line.
// From flow to lines: lines of a share come to that wire at equal distances between the times at which the first and the last of
// them could have passed the links before. Those that find no credit wait in a queue without bound.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/flow/flow_border.h"
#include "collectives/flow/flow_core.h"
#include "gpu/units/progress.h"
#include "platform/applications/flow/border_jobs.h"
#include "platform/applications/flow/border_paths.h"
#include "platform/assembly/fabric_modules.h"
#include "tlm_interconnect/switch/output_port.h"

namespace weft {

class LineBorder final :
    public TimedComponent,
    public LineInitiator,
    public LineTarget,
    public OutputPortOwner,
    public FlowBorder {
public:
    LineBorder(EventQueue& event_queue, LinePool& pool, Progress& progress, FlowCore& core, BorderPaths& paths,
        const RoutingSpec& routing);

    // During elaboration. `inputs`: ports of `outer`, each of which has a queue for the link. `link` names it in reports.
    FabricModules::End end(EdgeId edge, NodeId outer, NodeId inner, std::uint32_t packet_lines, unsigned inputs,
        std::string link);
    // Before time starts.
    void join(LineExecutor& lines, BorderJobs& jobs);
    // Calls of the core from outside its events, at `now`, go between these two.
    void begin(Time now) { core_.set_time(now); }
    void finish();

    std::vector<std::string> blocked() const;
    std::uint64_t lines_in() const { return lines_in_; }    // carried on by the core
    std::uint64_t lines_out() const { return lines_out_; }  // made for the core

    // Sockets.
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;
    void on_response_credit(unsigned port, Line& line, Time delay) override;

    // The core.
    std::uint32_t path_out(std::uint32_t from, std::uint32_t to, bool signals) override;
    void store(const Share& share, Ps first, Ps last) override;
    void load(const Share& share, Ps first, Ps last) override;
    void signal(const Signal& signal, Ps at) override;
    void left(std::uint32_t token, Ps at) override;
    void arrived(std::uint32_t token, Ps at) override;
    void answered(std::uint32_t token, Ps at) override;

private:
    // A module of its own: sockets are made while their module is.
    struct Port final : sc_core::sc_module {
        Port(sc_core::sc_module_name name, LineBorder& border, unsigned number, unsigned inputs)
            : sc_module(name), out("out", border, number), in("in", border, number),
              output(border.event_queue(), border, border, number, inputs + 1, out, in), inputs(inputs)
        {
        }
        // The queue of a line that comes by one of `ways`: packets of different inputs do not break each other up.
        unsigned input_of(const std::vector<unsigned>& ways, std::uint32_t hash) const
        {
            return ways.empty() ? inputs : ways[hash % ways.size()];
        }

        LineInitiatorSocket out;
        LineTargetSocket in;
        OutputPort output;
        unsigned inputs;  // the one behind them is for what begins at the node
        std::string link;
        std::uint32_t packet_lines = 0;  // of a message's packet; 0: the link has none
    };
    // A line that the core carries.
    struct Carried {
        Line* line = nullptr;
        unsigned port = 0;
        const BorderPaths::Way* way = nullptr;
    };
    // Lines that are made for the core: of a share, or a signal.
    struct Stream : ScheduledItem {
        LineOp op = LineOp::write;
        BorderJobs::Lines lines{};
        std::uint64_t flag = 0;
        std::uint64_t next = 0;
        std::uint64_t answered = 0;
        std::uint32_t bytes = 0;  // of the latest line
        std::uint32_t number = 0;
        std::uint32_t ticket = 0;
        std::uint32_t from = 0;  // endpoints
        std::uint32_t to = 0;
        const BorderPaths::Way* way = nullptr;
        Time first = 0;
        Time last = 0;

        std::uint64_t count() const { return lines.end - lines.begin; }
        Time due(std::uint64_t line) const
        {
            return count() < 2
                ? first
                : first + (last - first) / (count() - 1) * line + (last - first) % (count() - 1) * line / (count() - 1);
        }
    };
    static constexpr std::uint8_t wake_kind = 0;    // of the core
    static constexpr std::uint8_t stream_kind = 1;  // a line of a stream is due
    static constexpr std::uint8_t answer_kind = 2;  // for a line that was carried, at the wire
    static constexpr std::uint8_t back_kind = 3;    // for a line that was made here
    static constexpr std::uint8_t again_kind = 4;   // a line that goes on to lines, at the wire
    static constexpr std::uint8_t return_kind = 5;  // its answer
    static constexpr std::uint8_t carry_kind = 6;   // a line comes from the part at lines
    // Inputs behind those of the ports.
    static constexpr unsigned stream_input = 4094;
    static constexpr unsigned wake_input = 4095;

    void run(ScheduledItem& item) override;
    void arbitrate() override;
    void on_sent(unsigned, Line&, LineClass, unsigned) override {}

    void wake_core();
    void carry(Line& line, unsigned port);
    void send(Stream& stream);
    void send_line(Stream& stream);
    void came_back(Line& line);
    void go_on(Line& line);
    void go_back(Line& line);
    std::size_t exit_of(const BorderPaths::Way& way, Line& line) const;
    Stream& new_stream(LineOp op, std::uint32_t from, std::uint32_t to);
    void start(Stream& stream, const Share& share, Ps first, Ps last);
    void end_stream(Stream& stream);

    LinePool& pool_;
    Progress& progress_;
    FlowCore& core_;
    BorderPaths& paths_;
    RoutingSpec routing_;
    LineExecutor* executor_ = nullptr;
    BorderJobs* jobs_ = nullptr;
    std::vector<std::unique_ptr<Port>> ports_;
    std::vector<Carried> carried_;
    std::vector<std::uint32_t> free_carried_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<std::uint32_t> free_streams_;
    std::vector<std::unique_ptr<ScheduledItem>> wakes_;
    std::vector<Time> due_;   // of those that are scheduled, from the last to the first
    std::uint64_t open_ = 0;  // carried lines and streams
    bool busy_ = false;
    std::uint64_t lines_in_ = 0;
    std::uint64_t lines_out_ = 0;
};

}  // namespace weft
