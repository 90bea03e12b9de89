// The cache between a GPU's L2 and its DRAM, with a slice in front of each memory channel.
//
// Sockets: target[r] (misses and write-backs of L2 slice r), direct (requests that pass the L2 by, from the
// crossbar: where the L2's partitions are caches of their own this one is the point of coherence), memory[c].
//
// Timing: a line of the own GPU takes `hop` from the L2 to its slice, waits until that is free, occupies it for
// 64 B / (bandwidth / slices), has its data `latency` after its service began or, after a miss, when memory has
// answered, and takes `hop` back. Lines of other GPUs come from the crossbar without `hop`. A slice is an L2 slice
// (l2_slice.h) in everything else: sectors, misses, write-back, flags. Lines that arrive at one instant are served by
// source GPU, then in the order in which they were sent.
//
// Contents: with l2.contents = flat in the one memory image, and a miss of the L2 and its write-back move no bytes; with
// cached each slice holds its own.
//
// Statistics: those of the slices, summed.
#pragma once

#include <memory>
#include <vector>

#include "base/divider.h"
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory_side_spec.h"
#include "tlm_interconnect/protocol/protocol_checker.h"
#include "tlm_interconnect/protocol/socket_array.h"

namespace weft {

class MemorySideCache final :
    public sc_core::sc_module,
    public LineTarget,
    public LineInitiator,
    public StatisticsProvider {
public:
    // `path` is a prefix of its slices' paths. `with_direct`: there is the socket direct. Checkers between its parts;
    // none when null.
    MemorySideCache(sc_core::sc_module_name name, EventQueue& event_queue, const std::string& path,
        const MemorySideSpec& spec, unsigned channels, unsigned requesters, bool with_direct, MemoryImage& image,
        LinePool& pool, std::uint32_t endpoint, Checkers* checkers = nullptr, bool hold_contents = false);

    LineTargetSocket& target(unsigned requester) { return targets_[requester]; }
    LineTargetSocket& direct() { return *direct_; }
    LineInitiatorSocket& memory(unsigned channel) { return slices_[channel].memory; }

    const sc_core::sc_vector<L2Slice>& slices() const { return slices_; }
    sc_core::sc_vector<L2Slice>& slices() { return slices_; }
    std::uint64_t hops() const;

    std::vector<Statistic> statistics() const override { return summed_statistics(slices_); }
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_request(unsigned requester, Line& line, Time delay) override;
    Time on_response(unsigned slice, Line& line, Time delay) override;
    void on_request_credit(unsigned slice, Line& line, Time delay) override;

private:
    unsigned debug(unsigned requester, Line& line) override;
    unsigned slice_of(const Line& line) const;
    Time hop(const Line& line) const { return line.source == endpoint_ ? spec_.hop : 0; }

    MemorySideSpec spec_;
    std::uint32_t endpoint_;
    unsigned sector_shift_;
    Divider channels_;
    sc_core::sc_vector<L2Slice> slices_;
    sc_core::sc_vector<LineInitiatorSocket> to_slices_;
    sc_core::sc_vector<LineTargetSocket> targets_;
    std::unique_ptr<LineTargetSocket> direct_;
};

}  // namespace weft
