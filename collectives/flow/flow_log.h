// The log of the threads of a FlowCore: their times by cause and, where asked, a record of every operation. It only reads: no
// time of a run depends on it.
//
// Each thread has a mark, up to which its time is accounted for. Whatever moves the thread's time accounts for the time since the
// mark, so the causes of a thread add up to its life, from its launch to the last acknowledge, to the picosecond.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "collectives/flow/programs/flow_program.h"

namespace weft {

// A thread issues, or waits for one of these: a limit of its registers or of its unit's requests in flight; loaded data; acknowledges
// of stores; a signal, a dependency, a barrier or packets of another thread. Before it begins, a place on its accelerator.
enum class FlowCause : std::uint8_t { busy, registers, outstanding, loads, acknowledge, flag, queued, issue };
constexpr unsigned flow_causes = 8;
using FlowTimes = std::array<std::uint64_t, flow_causes>;  // ps

// Lives of transfers, summed: ps.
struct FlowLives {
    std::uint64_t serialisation = 0;  // behind others at links, full buffers, on wires
    std::uint64_t latency = 0;        // what the path takes by itself
    std::uint64_t memory = 0;         // loads from the own memory; of others, what is not in their caches
    std::uint64_t issue = 0;          // the last lines were issued later
    std::uint64_t packets = 0;        // the last packets came later

    void add(const FlowLives& more)
    {
        serialisation += more.serialisation;
        latency += more.latency;
        memory += more.memory;
        issue += more.issue;
        packets += more.packets;
    }
};

struct FlowRecord {
    enum class Kind : std::uint8_t { move, signal, wait, barrier, nop, end };
    std::uint32_t work = 0;       // FlowLog::works()
    std::uint32_t operation = 0;  // of its thread; of Kind::end one past the last
    Kind kind = Kind::nop;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    FlowTimes spent{};           // add up to end - begin
    FlowLives loads{};           // of what came meanwhile
    FlowLives stores{};          // of what was acknowledged meanwhile
    std::uint32_t released = 0;  // what it waited for last: number in FlowLog::signals(), 0: nothing
    std::uint64_t set = 0;       // when that was there
    bool unfinished = false;     // the run ended meanwhile, at `end`
};

// A signal, a packet or another thing that a thread waits for, on its way.
struct FlowSignal {
    std::uint32_t record = 0;  // who sent it
    std::uint64_t left = 0;
    std::uint64_t alone = 0;  // the time that its way takes if it meets nobody
};

class FlowLog {
public:
    using Ps = std::uint64_t;
    struct Work {
        std::uint32_t job = 0;  // number of FlowJob::number
        std::uint32_t rank = 0;
        std::uint32_t thread = 0;
        std::uint32_t endpoint = 0;
        Ps entered = 0;  // when its rank entered
    };

    // Times of endpoints only, or records as well: of whole jobs, as long as there are at most `most` operations in all.
    explicit FlowLog(std::uint64_t most = 0) : most_(most) {}

    const std::vector<FlowRecord>& records() const { return records_; }
    const std::vector<Work>& works() const { return works_; }
    const FlowSignal& signal(std::uint32_t number) const { return signals_[number - 1]; }
    // Jobs that had too many operations to be recorded.
    std::uint64_t left_out() const { return left_out_; }
    // Operations of the largest of them.
    std::uint64_t largest_left_out() const { return largest_; }
    // The times of all threads of an endpoint, summed; and the number of threads that did anything.
    FlowTimes times(std::uint32_t endpoint) const { return endpoint < sums_.size() ? sums_[endpoint] : FlowTimes{}; }
    std::uint64_t threads(std::uint32_t endpoint) const { return endpoint < counts_.size() ? counts_[endpoint] : 0; }

    // Called by the core. A job of so many operations opens; its threads follow.
    void open(std::uint64_t operations);
    void add(std::uint32_t index, const Work& work);
    void enter(std::uint32_t index, Ps entered);
    void launch(std::uint32_t index, Ps now);
    // It waits for a place from now on; launch() is called when it has one.
    void queue(std::uint32_t index, Ps now)
    {
        launch(index, now);
        block(index, FlowCause::queued);
    }
    // The time up to `until` was spent so.
    void spend(std::uint32_t index, FlowCause cause, Ps until)
    {
        Account& account = accounts_[index];
        if (until <= account.mark) return;
        const Ps time = until - account.mark;
        account.recent.push_back({cause, account.record, account.mark, until});
        account.mark = until;
        account.spent[static_cast<unsigned>(cause)] += time;
        if (account.record > 0) records_[account.record - 1].spent[static_cast<unsigned>(cause)] += time;
    }
    // From its mark on it waits for `cause`, until resume().
    void block(std::uint32_t index, FlowCause cause) { accounts_[index].waits_for = cause; }
    FlowCause waits_for(std::uint32_t index) const { return accounts_[index].waits_for; }
    // Now it goes on, at its own time, which may be later.
    void resume(std::uint32_t index, Ps time, Ps now)
    {
        spend(index, accounts_[index].waits_for, time);
        std::vector<Stretch>& recent = accounts_[index].recent;
        std::size_t past = 0;
        while (past < recent.size() && recent[past].end <= now) ++past;
        recent.erase(recent.begin(), recent.begin() + static_cast<std::ptrdiff_t>(past));
    }
    // It comes to this operation now, or goes on with it.
    void operation(std::uint32_t index, std::uint32_t number, FlowRecord::Kind kind)
    {
        if (accounts_[index].recorded) next(accounts_[index], number, kind);
    }
    // During a move a thread is busy for a part of the time; for the rest it waits for registers or for requests in flight.
    struct Pace {
        Ps busy = 0;
        bool outstanding = false;
    };
    void set_pace(std::uint32_t index, const Pace& pace) { accounts_[index].pace = pace; }
    const Pace& pace(std::uint32_t index) const { return accounts_[index].pace; }
    // From `begin` to `until` it issues at this pace.
    void issue(std::uint32_t index, const Pace& pace, Ps begin, Ps until)
    {
        spend(index, FlowCause::busy, std::min(until, begin + pace.busy));
        spend(index, pace.outstanding ? FlowCause::outstanding : FlowCause::registers, until);
    }
    void live(std::uint32_t index, const FlowLives& life, bool load);
    // Something that others wait for leaves the thread; its number, 0 where nothing is recorded. `record`: 0: the present one.
    std::uint32_t send(std::uint32_t index, Ps left, Ps alone, std::uint32_t record = 0);
    // Whether it left behind a wait for packets.
    bool was_released(std::uint32_t signal) const
    {
        return signal > 0 && records_[signals_[signal - 1].record - 1].released > 0;
    }
    std::uint32_t record_of(std::uint32_t index) const { return accounts_[index].record; }
    // The signal that the thread waited for was there at `set`.
    void released(std::uint32_t index, std::uint32_t signal, Ps set);
    void end(std::uint32_t index, Ps until);
    // The run is over: what has not ended is cut off now.
    void finish(Ps now);

private:
    struct Stretch {
        FlowCause cause = FlowCause::busy;
        std::uint32_t record = 0;
        Ps begin = 0;
        Ps end = 0;
    };
    struct Account {
        Ps mark = 0;
        FlowCause waits_for = FlowCause::flag;
        bool recorded = false;
        bool running = false;
        std::uint32_t record = 0;  // the present one, from 1 on
        std::uint32_t work = 0;
        std::uint32_t endpoint = 0;
        FlowTimes spent{};
        std::vector<Stretch> recent;  // of it, from when it went on last
        Pace pace;
        FlowLives loads{};
        FlowLives stores{};
    };
    void next(Account& account, std::uint32_t number, FlowRecord::Kind kind);
    void close(Account& account);
    void count(Account& account);
    void take_back(Account& account, Ps now);

    std::uint64_t most_;
    std::uint64_t opened_ = 0;  // operations of jobs that are recorded
    std::uint64_t left_out_ = 0;
    std::uint64_t largest_ = 0;
    bool records_job_ = false;       // the one that opens
    std::vector<Account> accounts_;  // by thread of the core
    std::vector<Work> works_;
    std::vector<FlowRecord> records_;
    std::vector<FlowSignal> signals_;
    std::vector<FlowTimes> sums_;  // by endpoint
    std::vector<std::uint64_t> counts_;
};

}  // namespace weft
