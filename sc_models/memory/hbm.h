// The DRAM of one GPU: pseudo-channels with banks, rows, refresh and a scheduler each.
//
// Sockets: target[s], one per L2 slice.
//
// Timing: an access reaches its channel's queue request_latency after the call's delay; hbm_map.h says which
// channel, bank and row it is. From there hbm_channel.h says when it is served and answered. A read of an
// idle channel whose row is not open takes
//     idle_read = request_latency + t_rcd + t_cl + (bursts - 1) x max(t_ccd_l, burst time) + burst time
//                 + response_latency,
// t_rcd less when the row is open, t_rp more when another one is. Accesses that arrive at one instant are
// taken in slice order.
//
// A wide access is divided among the channels of its slice, as its lines are, in parts of at least two lines; it is answered with
// the last of them.
//
// The request credit of a write-back returns when its channel's queue has taken it.
//
// Contents, where caches hold theirs (l2.contents = cached): what MemoryImage has stored. Bytes are read and written when the
// access reaches its channel's queue, in that order.
//
// Parameters: hbm_spec.h. `bandwidth` is the peak of the pins; what is sustained follows from the rest.
//
// Statistics: reads, writes (lines); row_hits, row_closed, row_conflicts (lines, by what they found in their
// bank); refresh (ps, channels or, per bank, banks, summed); turnaround (ps), busy (ps, pins), both summed
// over channels; mean_queue (lines in all channels together, from arrival to column command).
#pragma once

#include <deque>
#include <vector>

#include "base/statistic.h"
#include "sc_models/memory/hbm_channel.h"
#include "sc_models/memory/hbm_map.h"
#include "sc_models/memory/memory_image.h"
#include "sc_models/memory/memory_model.h"
#include "tlm_interconnect/protocol/line_pool.h"
#include "tlm_interconnect/protocol/socket_array.h"

namespace weft {

class Hbm final :
    public sc_core::sc_module,
    public TimedComponent,
    public LineTarget,
    public MemoryModel,
    public HbmChannel::Owner {
public:
    Hbm(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const HbmSpec& spec, unsigned slices,
        unsigned sector_shift = 0);
    Hbm(EventQueue& event_queue, const MemoryRequest& request)
        : Hbm(request.module_name.c_str(), event_queue, request.path, request.spec, request.slices,
              request.sector_shift)
    {
    }

    // From now on lines carry the bytes of `image`.
    void hold_contents(MemoryImage& image) override { contents_ = &image; }

    LineTargetSocket& target(unsigned slice) override { return targets_[slice]; }
    std::uint64_t responses(unsigned slice) const override { return targets_[slice].responses(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_request(unsigned slice, Line& line, Time delay) override;

private:
    struct Wake : ScheduledItem {};

    unsigned debug(unsigned slice, Line& line) override;
    void run(ScheduledItem& item) override;
    void prefetch(const ScheduledItem& item) const override;
    void access(Line& line);
    void accept(Line& line, unsigned slice, std::uint64_t number);
    void took(Line& write) override;
    void accept_wide(Line& line, unsigned slice);
    std::uint32_t parts_of(std::uint32_t lines) const;  // of a wide access
    void work(unsigned channel);
    void finish_part(Line& part, Time at);
    void answer(Line& line, Time delay);
    void wake_at(unsigned channel, Time time);

    HbmTiming timing_;
    MemoryImage* contents_ = nullptr;  // null: lines carry none
    HbmMap map_;
    std::vector<HbmChannel> channels_;
    PackedArrays arrays_;               // of their banks
    const std::byte* state_ = nullptr;  // of the first channel
    std::ptrdiff_t state_bytes_ = 0;    // to that of the next
    std::vector<Time> wakes_;           // the next one of each channel
    std::deque<Wake> items_;
    ScheduledItem* idle_items_ = nullptr;
    struct Split {  // a wide access in several channels
        Line* line = nullptr;
        std::uint32_t parts = 0;  // that are not served
        Time answer = 0;
    };
    std::vector<Split> split_;
    std::vector<std::uint32_t> free_split_;
    LinePool parts_;
    Time counted_from_ = 0;
    sc_core::sc_vector<LineTargetSocket> targets_;
};

}  // namespace weft
