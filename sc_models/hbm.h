// The DRAM of one GPU: independent channels of fixed bandwidth and latency.
//
// Sockets: target[s], one per L2 slice. Slice s uses channel s * channels / slices when there are at
// least as many slices as channels; otherwise it owns channels / slices channels and interleaves its
// lines over them.
//
// Timing: an access arrives at its channel after the call's delay, waits until the channel is free,
// occupies it for 64 B / (bandwidth / channels), and answers `latency` after its service began or when
// it ended, whichever is later. Lines that arrive at one instant are served in slice order.
//
// Not modelled here: banks, rows, refresh, turnaround: `bandwidth` is what they leave.
//
// Statistics: reads, writes, busy time of all channels.
#pragma once

#include <memory>
#include <vector>

#include "base/statistic.h"
#include "sc_models/hbm_spec.h"
#include "tlm_interconnect/protocol.h"
#include "tlm_interconnect/rate_server.h"

namespace weft {

class Hbm : public sc_core::sc_module, public Station, public LineTarget, public StatisticsProvider {
public:
    Hbm(sc_core::sc_module_name name, Agenda& agenda, std::string path, const HbmSpec& spec, unsigned slices);

    LineTargetSocket& target(unsigned slice) { return *targets_[slice]; }
    std::uint64_t responses(unsigned slice) const { return targets_[slice]->responses(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    Time on_request(unsigned slice, Line& line, Time delay) override;
    void run(AgendaItem& item) override;

    HbmSpec spec_;
    unsigned slices_;
    unsigned channels_per_slice_;
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
    std::vector<RateServer> channels_;
    std::vector<std::unique_ptr<LineTargetSocket>> targets_;
};

}  // namespace weft
