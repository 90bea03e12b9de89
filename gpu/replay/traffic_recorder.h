// Notes what leaves GPUs for others, with its times, in the form that a replay GPU takes (replay_profile.h).
//
// A line counts from the time at which it left its compute unit: `unit_to_port` before it reaches the fabric port.
// Adjacent lines that one workgroup sends to one place at even distances become one row, as long as lines of one instant
// stay in the order of their rows, which is the order in which a replay GPU issues them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

class TrafficRecorder {
public:
    // `line` leaves `gpu` at `at`; `called` is the present instant.
    void note(std::uint32_t gpu, const Line& line, Time at, Time called);

    // What the recorders of parts of a run have noted, each of the GPUs of one part: as one would have noted it. `order`: by GPU, who comes
    // first at an instant.
    static TrafficRecorder merged(const std::vector<TrafficRecorder>& parts, const std::vector<std::uint32_t>& order);

    // What it has noted, for a recorder in another process.
    struct Row {
        Time called;  // when it was noted
        Time time;
        Time gap;
        std::uint64_t address;
        std::uint64_t bytes;
        std::uint64_t value;
        std::uint32_t gpu;
        std::uint32_t lines;
        LineOp op;
    };
    struct Entries {
        std::vector<Row> rows;
        std::uint64_t lines = 0;
        std::uint64_t left_out = 0;
    };
    Entries entries() const { return {rows_, lines_, left_out_}; }
    static TrafficRecorder of(Entries entries);

    // As a profile of all GPUs; `names` by endpoint.
    std::string csv(const std::vector<std::string>& names) const;

    std::size_t rows() const { return rows_.size(); }
    std::uint64_t lines() const { return lines_; }
    std::uint64_t left_out() const { return left_out_; }  // operations that a profile has no kind for

private:
    struct Open {  // a row that may go on
        std::size_t row = 0;
        Time last = 0;
    };
    struct Gpu {
        std::map<std::pair<std::uint32_t, std::uint16_t>, Open> open;  // by workgroup and destination
        std::map<Time, std::size_t> last_row;                          // of what leaves at an instant from now on
    };

    bool continues(const Open& open, const Line& line, Time at) const;

    std::vector<Row> rows_;
    std::vector<Gpu> gpus_;
    std::uint64_t lines_ = 0;
    std::uint64_t left_out_ = 0;
};

// Between a crossbar and a fabric port: notes requests and hands everything on in the same instant.
class TrafficTap : public sc_core::sc_module, public LineTarget, public LineInitiator {
public:
    TrafficTap(sc_core::sc_module_name name, EventQueue& event_queue, TrafficRecorder& recorder, std::uint32_t endpoint,
        Time unit_to_port);

    LineTargetSocket in;
    LineInitiatorSocket out;

private:
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned, Line& line, Time delay) override { return in.send_response(line, delay); }
    void on_request_credit(unsigned, Line& line, Time delay) override { in.return_request_credit(line, delay); }
    void on_response_credit(unsigned, Line& line, Time delay) override { out.return_response_credit(line, delay); }
    unsigned debug(unsigned, Line& line) override { return out.debug(line); }

    EventQueue& event_queue_;
    TrafficRecorder& recorder_;
    std::uint32_t endpoint_;
    Time unit_to_port_;
};

}  // namespace weft
