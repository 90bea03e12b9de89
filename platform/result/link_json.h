// Link results as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "platform/result/link_result.h"

namespace weft {

// {name, from, to, GBps, lines, wire_bytes, payload_bytes, packets and credit_messages (null: not known), flag_reads, flag_bytes,
// busy_ps, peak_queue (null: not known), credit_stall_ps (null: the sender does not count it)}; of a link with retry errors, replays, repeated_bytes and duplicates; and of a run that was
// watched channels: [{name, lines, queue_mean, queue_peak, credits_mean, credits_peak, credit_stall_ps, arbitration_wait_ps,
// arbitration_longest_ps}], means over the time until `end`.
nlohmann::ordered_json links_json(const std::vector<LinkResult>& links, Time end);

}  // namespace weft
