#include "platform/commands/options/named_inputs.h"

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/diagnostic.h"
#include "base/read_files.h"
#include "collectives/chakra/trace_set.h"
#include "platform/configuration/tables/profile.h"

namespace weft {

namespace {

bool is_there(const std::string& path)
{
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

void note_traces(const std::string& prefix)
{
    std::optional<chakra::TraceSet> traces;
    try {
        traces = chakra::TraceSet::open(prefix);
    } catch (const InputError&) {
        return;
    }
    for (std::uint32_t rank = 0; rank < traces->ranks(); ++rank) note_read_file(traces->file(rank));
}

void note_plan(const std::string& plan)
{
    if (is_there(plan)) return note_read_file(plan);
    if (!plan.empty()) note_traces(plan);
}

void note_profile(const std::string& profile)
{
    if (is_profile_file(profile)) note_named_input(profile);
}

}  // namespace

void note_named_input(const std::string& path)
{
    if (is_there(path)) note_read_file(path);
}

void note_named_inputs(const Workload& workload)
{
    note_plan(workload.plan);
    if (workload.kind != Workload::Kind::trace) return;
    note_traces(workload.trace);
    note_named_input(workload.groups);
}

void note_named_inputs(const SystemDescription& description)
{
    note_profile(description.profile);
    for (const Binding& binding : description.bindings) {
        note_profile(binding.profile);
        note_named_input(binding.traffic);
    }
    note_named_inputs(description.workload);
}

void note_named_inputs(const std::vector<SweepAxis>& axes)
{
    const std::string replay = "replay:";
    for (const SweepAxis& axis : axes) {
        for (const std::string& value : axis.values) {
            if (axis.kind == SweepAxis::Kind::option && axis.key == "plan") note_plan(value);
            if (axis.kind == SweepAxis::Kind::option && axis.key == "profile") note_profile(value);
            if (axis.kind == SweepAxis::Kind::model && value.compare(0, replay.size(), replay) == 0)
                note_named_input(value.substr(replay.size()));
        }
    }
}

}  // namespace weft
