// Counters for a timeline: what each node sends on its links, and how many lines wait for them, window by window.
#pragma once

#include <string>

namespace weft {

// `timeline` (RunResult::timeline) with counter events made of `series` (RunResult::series): for each node that sent something,
// bytes on the wire of all its links together in GB/s, and the mean of the lines in their queues. Ranks have theirs in their own
// process, other nodes in one each. `timeline` as it is where there is no series.
std::string with_counters(const std::string& timeline, const std::string& series);

}  // namespace weft
