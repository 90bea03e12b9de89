// The statistics of links for each window of simulated time, as comma-separated values.
//
// A line counts in the window in which its sender hands it to the wire, with all its bytes and all the time it takes
// there. So the windows of a link add up to its totals; of its last line in a window a part may lie in the next.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/link_results.h"

namespace weft {

class TimeSeries {
public:
    TimeSeries(const FabricModules& fabric, const Graph& graph, Time window);

    Time window() const { return window_; }
    // End of the present window.
    Time next() const { return next_; }
    // Closes it. A window in which a link and all its queues were idle makes no row.
    void close(Time now);

    // One row per window and link direction: start_ps, length_ps, link, from, to, lines, wire_bytes, payload_bytes,
    // busy_ps, utilisation, credit_stall_ps, then for each channel: lines, mean queue, mean credits in use,
    // credit_stall_ps, arbitration_wait_ps.
    std::string csv() const;

private:
    const FabricModules& fabric_;
    const Graph& graph_;
    Time window_;
    Time begin_ = 0;
    Time next_;
    std::vector<LinkResult> last_;
    std::vector<std::string> channels_;  // names of all there are, in order
    std::string rows_;
};

}  // namespace weft
