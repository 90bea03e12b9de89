// One DRAM channel: its queues, its scheduler, its banks.
//
// Scheduling. The scheduler sees the first read_queue reads and write_queue writes; further ones wait
// outside, in order. It serves reads until write_high writes wait or no read does; then writes until no more
// than write_low wait, or until none does when no read waits either. Under pressure from both sides a turn is
// of write_high - write_low lines. In the direction that is served:
//  * A bank has the row of its oldest line open and keeps it as long as it sees lines for it, but not when
//    an older line of the bank has been seen for longer than age_limit. A bank that has no line of the direction
//    opens the row of its oldest line of the other one when a turn is near: while writes are served, or
//    write_high wait.
//  * When the pins are free, the line that can be moved first is moved; of several that are ready the one
//    that came into the queue first.
//
// Timing. A line occupies the pins for 64 B (whole bursts) at the channel's rate, counted from its first
// column command c. c keeps t_rcd from the row's activate, (bursts x t_ccd_l) from the previous line of the
// bank group, and after a change of direction the gap of t_rtw or t_wtr between the data. Activates keep t_rp
// from the precharge, t_rrd and t_faw; precharges keep t_ras, t_rtp and t_wr. A read is answered at c + t_cl
// + data + response_latency, a write at c + t_wl + data + response_latency.
//
// A wide access is k lines in a row, which the map spreads over the bank groups of a row. It is treated as if they were all in the
// bank of the first: their column commands follow each other as those of a stream do, at the pins' rate (and
// bursts x t_ccd_l / bank groups), those of the next access follow the last of them so, and it is answered with the last. What it finds in its bank counts for one line of each group;
// further ones are hits.
//
// Refresh. all_bank: every t_refi the channel closes all rows and rests for t_rfc, channels one after the
// other. per_bank: every bank for itself, one after the other; it waits up to t_refi / 2 for a row that lines
// want. The first of them is due at t_refi.
#pragma once

#include <vector>

#include "sc_models/memory/hbm_bank.h"
#include "tlm_interconnect/kernel/packed_arrays.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

struct HbmCounts {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t accesses[3] = {};  // by HbmBank::Access
    Time busy = 0;                   // pins
    Time turnaround = 0;             // pins idle for a change of direction
    Time waited = 0;                 // of all lines, arrival to column command
};

class HbmChannel {
public:
    static constexpr Time never = ~Time{0};

    // Who is told that a write has come into the channel's queue.
    class Owner {
    public:
        virtual void took(Line& write) = 0;

    protected:
        ~Owner() = default;
    };

    // The state of its banks is among `arrays`, which its owner builds.
    HbmChannel(const HbmTiming& timing, unsigned index, PackedArrays& arrays, Owner& owner);

    // A line arrives. Its link and its note are the channel's until step() hands it out.
    void accept(Line& line, unsigned bank, std::uint32_t row, Time now);

    // Looks for what can be done now.
    struct Step {
        Line* line;   // served now, if any
        Time answer;  // after `now`
        Time next;    // when to look again; never if nothing waits
    };
    Step step(Time now);

    // No line can be served before.
    Time pins_free() const { return pins_free_; }

    // A step is near, or a line for this bank will arrive soon: the host may fetch what that needs. `state`: as state(), which
    // to look up would be a fetch of its own.
    void prefetch_step() const { fetch(this, hot_bytes); }
    void prefetch_line(const std::byte* state, unsigned bank) const
    {
        fetch(this, hot_bytes);
        fetch(state + bank * sizeof(Ready), 1);
        fetch(state + places(timing_.banks) * sizeof(Ready) + bank * sizeof(Bank), 1);
    }
    const std::byte* state() const { return reinterpret_cast<const std::byte*>(ready_); }

    // Bytes of the host's memory that a channel and its banks occupy.
    static std::size_t bytes(const HbmSpec& spec);

    Time refreshed() const;
    const HbmCounts& counts() const { return counts_; }
    void reset_statistics();

private:
    enum Direction : unsigned { read, write };

    struct Queue {  // in order of arrival
        Line* head = nullptr;
        Line* tail = nullptr;

        void append(Line& line);
        void remove(Line& line, Line* before);
    };

    // A cache line of the host.
    struct alignas(64) Bank {
        HbmBank state;
        Queue waiting[2];
        Line* before = nullptr;  // the line before the wanted one in its queue; none: that is the first one
    };
    static_assert(sizeof(Bank) == 64);
    // For every bank with a wanted line, what a scheduling step reads: the first line for the open row, in the direction being served.
    struct Ready {
        Time column = 0;   // from when on column commands may come, as far as the bank goes
        Time arrived = 0;  // when the wanted line did, in the queue
    };

    // Of Ready, in whole cache lines.
    static std::size_t places(std::size_t banks) { return (banks + 3) / 4 * 4; }
    // For the host's caches.
    static void fetch(const void* begin, std::size_t bytes)
    {
        for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const char*>(begin) + at, 1);
    }
    Line& wanted_line(unsigned number) const
    {
        const Bank& bank = banks_[number];
        return bank.before == nullptr ? *bank.waiting[direction_].head : Line::of(*bank.before->next);
    }
    bool came_first(unsigned number, unsigned other) const;
    void activate(unsigned number, std::uint32_t row, Time now);
    std::uint16_t next_turn(Time now);
    void admit_from_outside(Line& line, Time now);
    void admit(Line& line, Time now);
    void choose_direction(Time now);
    void turn(Direction direction, Time now);
    void rest(unsigned number, Time now);
    void open_for_oldest(unsigned number, Time now);
    void open_ahead(unsigned number, Time now);
    bool find_wanted(unsigned number, Line* from, Line* before);
    unsigned first_ready(Time now, Time& at) const;
    bool refresh_due(Time now) const;
    void refresh_all(Time now);
    void occupy_pins(Time first);
    Time occupy(unsigned group, Time first, std::uint32_t lines);
    Step serve(unsigned number, Time now);

    const HbmTiming& timing_;
    // In every step.
    std::uint64_t wanted_ = 0;  // bit per bank with a wanted line
    Time pins_free_ = 0;
    Time refresh_due_ = never;    // of all banks
    Time turned_ = 0;             // earliest column command in the direction
    std::uint32_t held_[2] = {};  // lines that the scheduler sees
    Ready* ready_ = nullptr;      // per bank
    Bank* banks_ = nullptr;
    Time* group_free_ = nullptr;       // per bank group
    std::uint64_t waiting_[2] = {};    // bit per bank with lines
    std::uint64_t left_ = 0;           // lines that the turn has for sure
    std::uint64_t pins_rest_ = 0;      // carried from line to line while the pins stay busy
    Time arrived_ = 0;                 // the last line, at the channel or in its queue,
    std::uint32_t turn_ = 0;           // and how many of its instant came before it
    Direction direction_ = read;       // that is served
    Direction moved_ = read;           // of the last line
    bool moved_since_refresh_ = true;  // whatever the figures, a line goes between two refreshes
    bool per_bank_;                    // refreshes
    Queue outside_[2];
    HbmCounts counts_;
    HbmActivates activates_;
    std::vector<HbmRefresh> refreshes_;  // of the channel, or of each bank
    Owner& owner_;
    static constexpr std::size_t hot_bytes = 320;  // up to activates_, and the first of those
};

}  // namespace weft
