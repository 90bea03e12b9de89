// A slice of an L2 whose inside is a clocked block behind pins: RTL, its reference model, or both in lockstep.
//
// Sockets: as L2Slice (sc_models/l2/l2_slice.h), one partition. Models reference_slice, rtl_slice, slice_lockstep of
// l2.model.
//
// Every request becomes bits (line_bits.h) at the pins, in order of arrival; what the block answers is looked up by
// its tag, compared bit for bit with what it should be, and its data go on as they came out. What the block writes
// back is what memory then holds, and what fills bring (slice_scoreboard.h). The first thing that is wrong ends the
// run: problems().
//
// Timing, on clock edges (multiples of the clock from time 0):
//   arrival, rounded up to an edge     clock in which the request is on the pins, or the next in which the one before is taken
//   taken                              its credit goes back in that clock
//   + l2.latency                       a hit's data are ready: tag and data clocks of the block, then a wire
//   miss                               on the way to memory tag clocks + 1 after it was taken; the answer leaves data clocks
//                                      and the wire after the clock in which the block takes the line
// The clock is l2.clock, or 64 B over the slice's share of l2.bandwidth to the nearest picosecond. Memory and the
// on-die network always take what the block has for them.
//
// Flags are words beside the block (slice_flags.h), with a port of their own of the slice's bandwidth; they are ready
// `latency` after their service began, on no clock edge. Packets are there, and found, when they arrive at the slice.
//
// The block is not clocked while it is idle, nor when nothing has moved for so long that only an arrival can change
// anything.
//
// Limits: slice_block_spec.h.
//
// Statistics: hits, misses, merged misses, write-backs as the block's own counters say; flag operations; busy time;
// clocks in which the block was evaluated.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rtl/cache/llc_pins.h"
#include "rtl/common/clocked_block.h"
#include "rtl/modules/pin_shell.h"
#include "rtl/modules/slice_block_spec.h"
#include "rtl/modules/slice_scoreboard.h"
#include "sc_models/l2/slice_flags.h"
#include "sc_models/l2/slice_input.h"
#include "sc_models/l2/slice_model.h"
#include "tlm_interconnect/kernel/rate_server.h"

namespace weft {

class ClockedSlice final : public PinShell, public LineTarget, public LineInitiator, public SliceModel {
public:
    using Block = ClockedBlock<LlcIn, LlcOut>;
    // Makes the block; `clock` in ps.
    using Factory = std::function<std::unique_ptr<Block>(const LlcParameters&, const std::string& path, Time clock)>;

    // Throws InputError for an L2 that is none of such blocks.
    ClockedSlice(sc_core::sc_module_name name, EventQueue& event_queue, const SliceRequest& request,
        const Factory& make);

    LineTargetSocket target;
    LineInitiatorSocket memory;
    LineTargetSocket& target_of(unsigned) override { return target; }
    LineInitiatorSocket& memory_of(unsigned) override { return memory; }
    unsigned partitions() const override { return 1; }
    void set_input_rate(std::uint64_t rate, std::uint32_t header) override { input_.set(1, rate, header); }
    RateServers& inputs() override { return input_.servers(); }
    std::uint64_t hops() const override { return memory.requests() + target.responses(); }
    FlagCounts flag_counts() const override { return flags_.counts(); }
    std::vector<std::string> problems() const override { return errors(); }
    std::vector<std::string> blocked() const override;
    // Flushes the block through its pins, then looks at what memory holds.
    void check_contents() override;

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    // What an item on the event queue is.
    enum Work : std::uint8_t { arrival, entered, fill, timer };
    enum Recent : unsigned { requests, answers, reads, write_backs };

    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    unsigned debug(unsigned port, Line& line) override;
    void arrive(ScheduledItem& item, Time now) override;
    void tick(Time now) override;

    void enter(Line& line, Time now);
    void serve(Line& line, Time now);
    void serve_flag(Line& line, Time now);
    void set_timer();
    void drive(Time now);
    bool collect(Time now);
    bool ask_memory(Time now);
    bool write_memory(Time now);
    bool answer_request(Time now);
    void answer(Line& line, Time at);
    void fail(Time now, const std::string& what);

    const SliceBlockSpec spec_;
    const Time latency_;
    const std::uint32_t endpoint_;
    MemoryImage& image_;
    LinePool& pool_;
    SliceScoreboard board_;
    SliceFlags flags_;
    RateServer flag_server_;
    ScheduledItem timer_;  // of monitors
    SliceInput input_;
    std::unique_ptr<Block> block_;
    LlcIn in_;
    LlcOut out_;
    std::deque<std::uint32_t> arrived_;  // tags, not yet taken
    std::deque<std::uint32_t> fills_;    // entries whose line has come from memory, not yet taken
    std::uint32_t in_memory_ = 0;        // reads that memory has not answered
    RecentLines recent_{4};
    std::uint64_t taken_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t missed_ = 0;
    std::uint64_t merged_ = 0;
    std::uint64_t written_back_ = 0;
};

}  // namespace weft
