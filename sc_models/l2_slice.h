// One slice of a GPU's level-2 cache: point of coherence of its addresses.
//
// Sockets: target (requests of the own compute units and of other GPUs, from the crossbar), memory
// (misses and write-backs, to the HBM).
//
// Timing: a line waits until the slice is free, occupies it for 64 B / (bandwidth / slices), and on
// a hit its data are ready `latency` after its service began. Lines that arrive at one instant are
// served in the crossbar's input order. A miss goes to memory when its `latency` has passed and
// answers when the fill arrives; further accesses to a line that is being filled wait for the same
// fill and at least for their own `latency`. A write of a whole line allocates without a fill; a partial
// write of an absent line fetches it first. Write-back, least recently used; a dirty victim is written
// back behind the scenes.
// At most `outstanding_misses` fills are in flight; further misses wait in order.
// The credit of a request returns when its service begins.
//
// Order: memory changes when the line's turn comes at the slice (arrival order), so every slice is
// sequentially consistent and an atomic is one step. `await` and `monitor` wait for flags (sync_monitor.h). Flags are always
// resident: they cost slice bandwidth and `latency`, never memory traffic.
//
// Statistics: hits, misses, merged misses, write-backs, flag operations, busy time.
#pragma once

#include <memory>
#include <vector>

#include "base/divider.h"
#include "base/statistic.h"
#include "sc_models/l2_spec.h"
#include "sc_models/memory_image.h"
#include "sc_models/sync_monitor.h"
#include "sc_models/tag_array.h"
#include "tlm_interconnect/protocol.h"
#include "tlm_interconnect/rate_server.h"

namespace weft {

// Which slice of `slices` holds line number `line` of a GPU's memory, and its number there: groups of
// `slices` consecutive lines, one to each slice, rotated from group to group so that strides spread.
struct SlicePlace {
    std::uint32_t slice;
    std::uint64_t number;
};
inline SlicePlace slice_place(std::uint64_t line, const Divider& slices)
{
    const std::uint64_t group = slices.quotient(line);
    const std::uint32_t count = slices.divisor();
    const auto within = static_cast<std::uint32_t>(line - group * count);
    const std::uint32_t mixed = static_cast<std::uint32_t>(group) * 0x9e3779b1U;
    const auto rotation = static_cast<std::uint32_t>(std::uint64_t{mixed} * count >> 32);
    const std::uint32_t slice = within + rotation;
    return {slice >= count ? slice - count : slice, group};
}

class L2Slice : public sc_core::sc_module,
                public Station,
                public LineTarget,
                public LineInitiator,
                public StatisticsProvider {
public:
    L2Slice(sc_core::sc_module_name name, Agenda& agenda, std::string path, const L2Spec& spec, unsigned index,
        MemoryImage& image, LinePool& pool, std::uint32_t endpoint);

    LineTargetSocket target;
    LineInitiatorSocket memory;

    // Lines waiting for a flag, for the report of a run that cannot progress.
    struct Waiting {
        std::uint64_t flag;
        std::uint64_t value;
        std::uint64_t wanted;
        std::uint16_t source;
        std::uint32_t tag;
    };
    std::vector<Waiting> waiting() const;

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    struct Miss {  // a fill in flight
        std::uint64_t number = 0;
        Line* first = nullptr;  // lines that wait for it
        Line* last = nullptr;
    };

    static constexpr std::uint8_t request_kind = 0;
    static constexpr std::uint8_t fill_kind = 1;
    static constexpr std::uint8_t timer_kind = 2;

    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    unsigned debug(unsigned port, Line& line) override;
    void run(AgendaItem& item) override;
    void prepare(const AgendaItem& item) const override;
    void serve(Line& line);
    void serve_flag(Line& line, Time ready);
    void look_up(Line& line, std::uint64_t number, Time ready);
    void serve_absent(Line& line, std::uint64_t number, Time ready);
    void start_miss(Line& line, std::uint64_t number, Time ready);
    void finish_fill(Line& fetch);
    void access_data(Line& line);
    void write_back(std::uint64_t number, Time delay);
    std::uint64_t address_of(std::uint64_t number) const;
    void answer(Line& line, Time at);
    void wake(Line& waiter, Time at);
    void set_timer();

    L2Spec spec_;
    unsigned index_;
    Divider slices_;
    std::uint32_t endpoint_;
    MemoryImage& image_;
    LinePool& pool_;
    RateServer server_;
    TagArray tags_;
    std::vector<Miss> misses_;
    AgendaItem* stalled_head_ = nullptr;  // misses beyond the limit
    AgendaItem* stalled_tail_ = nullptr;
    SyncMonitor monitor_;
    AgendaItem timer_;  // of monitors
    std::uint64_t hits_ = 0;
    std::uint64_t missed_ = 0;
    std::uint64_t merged_ = 0;
    std::uint64_t written_back_ = 0;
    std::uint64_t flag_operations_ = 0;
};

}  // namespace weft
