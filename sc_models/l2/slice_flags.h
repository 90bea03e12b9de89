// The flags of a slice: words in a region of their own, always resident, and who waits for them (sync_monitor.h).
//
// The slice decides when its own work on a request is done; serve() says who is answered then, and how much later.
#pragma once

#include <vector>

#include "base/statistic.h"
#include "sc_models/l2/l2_spec.h"
#include "sc_models/l2/slice_model.h"
#include "sc_models/l2/sync_monitor.h"
#include "sc_models/memory/memory_image.h"

namespace weft {

class SliceFlags {
public:
    SliceFlags(const L2Spec& spec, MemoryImage& image)
        : image_(image), monitor_({spec.monitors, spec.monitor_log_latency, spec.wake, spec.monitor_timeout})
    {
    }

    // Carries out a request at a flag. Calls answer(line, later) for those that it wakes, then for itself unless it waits.
    // False: it is an operation that switches carry out.
    template <class Answer>
    bool serve(Line& line, Time now, Answer answer)
    {
        ++operations_;
        note_poll(line);
        const std::uint64_t local = local_of(line.address);
        std::uint64_t& value = image_.flag(local);
        switch (line.op) {
        case LineOp::read: line.set_operand(value); break;
        case LineOp::write: value = line.operand(); break;
        case LineOp::atomic: value = result_of(line.function, value, line.operand(), line.comparand()); break;
        case LineOp::fetch: {
            const std::uint64_t word = value;
            value = result_of(line.function, value, line.operand(), line.comparand());
            line.set_operand(word);
            break;
        }
        case LineOp::await:
            if (value < line.operand()) {
                monitor_.hold(line, now);
                return true;
            }
            break;
        case LineOp::monitor: monitor_.hold(line, now); return true;
        case LineOp::multicast:
        case LineOp::load_reduce:
        case LineOp::reduce: return false;
        }
        if (line.op != LineOp::read && line.op != LineOp::await)
            monitor_.changed(local, value, [this, &answer](Line& waiter, Time later) { wake(waiter, later, answer); });
        answer(line, Time{0});
        return true;
    }

    // Monitors whose time is over are answered as those that are woken. False: there was none.
    template <class Answer>
    bool expire(Time now, Answer answer)
    {
        return monitor_.expire(now, [this, &answer](Line& waiter, Time later) { wake(waiter, later, answer); });
    }
    Time next_deadline() const { return monitor_.next_deadline(); }

    // A look of a wait, at a flag or at packets.
    void note_poll(const Line& line)
    {
        if ((line.flags & LineHeader::poll_flag) != 0) ++reads_;
    }

    // Lines that wait for a flag, for the report of a run that cannot progress.
    struct Waiting {
        std::uint64_t flag;
        std::uint64_t value;
        std::uint64_t wanted;
        std::uint16_t source;
        std::uint32_t tag;
    };
    std::vector<Waiting> waiting() const;

    SliceModel::FlagCounts counts() const { return {reads_, monitor_.counts().held, monitor_.counts().wakes}; }
    std::uint64_t operations() const { return operations_; }
    void add_statistics(std::vector<Statistic>& out) const;
    void reset_statistics()
    {
        operations_ = reads_ = 0;
        monitor_.reset_counts();
    }

private:
    template <class Answer>
    void wake(Line& waiter, Time later, Answer& answer)
    {
        waiter.set_operand(image_.flag(local_of(waiter.address)));
        answer(waiter, later);
    }

    MemoryImage& image_;
    SyncMonitor monitor_;
    std::uint64_t operations_ = 0;
    std::uint64_t reads_ = 0;
};

}  // namespace weft
