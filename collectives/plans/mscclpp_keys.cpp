#include "collectives/plans/mscclpp_keys.h"

#include <algorithm>
#include <set>

#include "base/nearest.h"

namespace weft {

namespace {

// All keys that objects of a plan may have, also those that are not used here.
const std::vector<std::string> keys{"access_channel_type", "access_channel_types", "barrier_id", "buff",
    "buffer_alignment", "buffer_id", "buffer_type", "channel_ids", "channel_type", "channels", "collective",
    "connected_to", "dst_buff", "gpus", "id", "index", "init_value", "inplace", "input_chunks", "iter_context",
    "max_message_size", "min_message_size", "name", "num_chunks", "num_threadblocks", "num_threads_per_block", "ops",
    "output_chunks", "protocol", "rank", "rank_groups", "ranks", "reduce_op", "remote_buffer_ids", "remote_buffer_refs",
    "remote_buffers", "reuse_resources", "scratch_chunks", "semaphore_ids", "semaphores", "size", "src_buff",
    "switch_channel_id", "tb_id", "tbg_info", "tbg_size", "threadblocks", "type", "unit_size",
    "use_double_scratch_buffer"};

void add_unknown(const JsonValue& value, const std::string& file, std::set<std::string>& seen,
    std::vector<Diagnostic>& notices)
{
    for (const JsonValue& item : value.items) add_unknown(item, file, seen, notices);
    for (const auto& [key, member] : value.members) {
        if (!std::binary_search(keys.begin(), keys.end(), key) && seen.insert(key).second) {
            const std::string nearest = nearest_name(key, keys);
            notices.push_back({file, member.line, "the key " + shown(key) + " is not one of a plan, and is not read",
                nearest.empty() ? "" : "a known key (did you mean '" + nearest + "'?)"});
        }
        add_unknown(member, file, seen, notices);
    }
}

}  // namespace

std::vector<Diagnostic> unknown_mscclpp_keys(const JsonValue& root, const std::string& file)
{
    std::set<std::string> seen;
    std::vector<Diagnostic> notices;
    add_unknown(root, file, seen, notices);
    return notices;
}

}  // namespace weft
