// The compute units of one GPU, as issuers of lines.
//
// Socket: memory (to the crossbar).
//
// A workgroup runs one Program, operation by operation; an operation starts when the one before it is
// complete (a move: all its stores acknowledged; a signal: issued). A move marked with_previous starts
// when the loads of the move before it have been issued. Workgroups go to units round robin and
// wait in a queue when all units are full. A unit issues at most one line per clock cycle. It takes its
// workgroups that can issue round robin, for one wavefront instruction each: up to `burst` lines in
// consecutive cycles, stores of loaded data before new loads. A workgroup keeps
// at most `lines_in_flight` pieces of a move in flight, a unit at most `outstanding` lines.
//
// Waiting for a flag: spin = an 8-byte load of the flag, again `spin_interval` after each answer;
// monitor = one request that the home L2 slice answers when the flag has the value.
//
// Timing: the cycle time is 1 / clock with remainders carried. An answer that arrives while its unit is
// idle can issue in the same instant, after all answers of that instant.
//
// Not modelled here: registers, L1, instruction issue; arithmetic of a reduction takes no time.
//
// Statistics: lines issued, polls, signals, time workgroups spent by cause.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "base/statistic.h"
#include "gpu/gpu_spec.h"
#include "gpu/progress.h"
#include "gpu/workgroup.h"
#include "tlm_interconnect/protocol.h"
#include "tlm_interconnect/rate_server.h"

namespace weft {

class ComputeUnits : public sc_core::sc_module, public Station, public LineInitiator, public StatisticsProvider {
public:
    ComputeUnits(sc_core::sc_module_name name, Agenda& agenda, std::string path, const GpuSpec& spec,
        std::uint32_t endpoint, LinePool& pool, Progress& progress, bool data_on,
        SpreadMode spread = SpreadMode::lines, unsigned stripe_shift = 0, std::size_t destinations = 0);

    LineInitiatorSocket memory;

    struct Launch {
        const Program* program = nullptr;  // stays alive until the workgroup is done
        std::uint32_t lines_in_flight = 1;
        WorkgroupListener* listener = nullptr;
        std::uint64_t token = 0;
    };
    // Starts the workgroup at the present instant or when a unit has room.
    void launch(const Launch& launch);

    // Time that workgroups spent by cause, summed over workgroups, ps.
    std::array<Time, stall_causes> stalls() const;
    std::uint64_t workgroups() const { return workgroups_; }  // ever placed on a unit
    std::uint64_t lines() const { return lines_; }  // issued, polls and signals included
    bool cannot_progress() const { return cannot_progress_; }

    struct Blocked {
        std::uint64_t token;
        std::uint32_t label;      // of the operation
        std::size_t operation;    // index in the program
        Operation::Kind kind;
        std::uint64_t flag;       // wait: its address
        std::uint64_t value;      // wait: wanted
        std::uint32_t in_flight;  // move: pieces without an answer
    };
    std::vector<Blocked> blocked() const;
    std::size_t queued() const { return queue_.size(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    struct Unit {
        RateServer issue;
        std::uint32_t outstanding = 0;
        std::uint32_t resident = 0;
        std::uint32_t last = 0;    // round robin over its places
        std::uint64_t active = 0;  // bit per place with a workgroup
        bool touched = false;
        AgendaItem wake;
    };

    struct Queued {
        Launch launch;
        Time since;
    };

    static constexpr std::uint8_t line_kind = 0;
    static constexpr std::uint8_t unit_kind = 1;
    static constexpr std::uint8_t workgroup_kind = 2;

    Time on_response(unsigned port, Line& line, Time delay) override;
    void run(AgendaItem& item) override;
    void prepare(const AgendaItem& item) const override;
    void settle() override;

    void place(const Launch& launch, std::uint32_t unit, Time queued_since);
    void start_next(std::uint32_t index);
    void finish(std::uint32_t index);
    void answered(Line& line);
    void loaded(std::uint32_t index, Line& line, std::uint32_t slot, std::uint32_t source);
    void make_ready(Workgroup& group, std::uint32_t slot);
    void release_slot(std::uint32_t index, std::uint32_t slot);
    void flag_answered(std::uint32_t index, const Line& line);

    bool can_issue(Workgroup& group, const Unit& unit);
    void issue(std::uint32_t index, Time delay);
    void issue_store(std::uint32_t index, Time delay);
    void issue_load(std::uint32_t index, Time delay);
    void open_piece(Workgroup& group);
    void overlap(Workgroup& group);
    void issue_flag(std::uint32_t index, Time delay);
    void send(Line& line, std::uint32_t index, std::uint32_t slot, std::uint32_t source, Time delay);
    void serve_unit(std::uint32_t number);
    void touch(std::uint32_t unit);
    void set_cause(Workgroup& group, StallCause cause) { group.set_cause(cause, agenda().now()); }

    GpuSpec spec_;
    std::uint32_t endpoint_;
    std::uint32_t places_;  // workgroups per unit
    LinePool& pool_;
    Progress& progress_;
    bool data_on_;
    SpreadMode spread_;
    unsigned stripe_shift_;
    std::vector<std::uint32_t> turns_;  // round_robin: lines so far, by destination
    bool cannot_progress_ = false;
    bool running_ = false;  // between the first item of an instant and its settle()
    std::uint32_t next_unit_ = 0;
    std::uint64_t workgroups_ = 0;
    std::uint64_t lines_ = 0;
    std::uint64_t polls_ = 0;
    std::uint64_t signals_ = 0;
    std::array<Time, stall_causes> spent_{};  // of workgroups that ended
    std::vector<Unit> units_;
    std::vector<Workgroup> groups_;  // [unit * places + place]
    std::vector<std::uint32_t> touched_;
    std::deque<Queued> queue_;
};

}  // namespace weft
