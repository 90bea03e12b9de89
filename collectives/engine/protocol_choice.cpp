#include "collectives/engine/protocol_choice.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "collectives/schedule/protocol.h"
#include "collectives/schedule/staging.h"
#include "collectives/schedule/verify.h"

namespace weft {

namespace {

bool has_packets(const Schedule& schedule)
{
    return std::any_of(schedule.ranks.begin(), schedule.ranks.end(), [](const RankPlan& plan) { return plan.packet_chunks > 0; });
}

}  // namespace

const char* protocol_of(const Schedule& schedule, const EngineSpec& spec)
{
    if (!has_packets(schedule)) return name_of(Protocol::simple);
    return name_of(static_cast<Protocol>(spec.protocol) == Protocol::ll128 ? Protocol::ll128 : Protocol::ll);
}

std::shared_ptr<const Schedule> ProtocolChoice::carried_out(std::shared_ptr<const Schedule> schedule, const EngineSpec& spec,
    std::uint64_t bytes, std::uint32_t element_bytes)
{
    const auto protocol = static_cast<Protocol>(spec.protocol);
    const bool own = has_packets(*schedule);
    const bool staged = static_cast<StagingMode>(spec.staging) == StagingMode::fifo;
    if ((own || protocol != Protocol::simple) && static_cast<Mover>(spec.mover) != Mover::units)
        throw InputError(schedule->name, 0, "packets, which only units store and look at, with engine.mover other than units",
            "engine.mover=units, or engine.protocol=simple");
    if (staged && protocol != Protocol::simple)
        throw InputError(schedule->name, 0, "engine.staging=fifo with packets, which have slots of their own",
            "engine.protocol=simple, or engine.staging=none");
    if (own || (protocol == Protocol::simple && spec.slices <= 1 && !staged)) return schedule;
    Key key{schedule, {spec.protocol, spec.slices, 0, 0, 0, 0}};
    if (staged) key.second = {spec.protocol, spec.slices, spec.steps_in_flight, spec.step_bytes, bytes, element_bytes};
    std::shared_ptr<const Schedule>& made = made_[key];
    if (!made) made = make(*schedule, spec, bytes, element_bytes);
    return made;
}

std::shared_ptr<const Schedule> ProtocolChoice::make(const Schedule& schedule, const EngineSpec& spec, std::uint64_t bytes,
    std::uint32_t element_bytes) const
{
    const bool simple = static_cast<Protocol>(spec.protocol) == Protocol::simple;
    const bool staged = static_cast<StagingMode>(spec.staging) == StagingMode::fifo;
    auto other = std::make_shared<Schedule>(
        simple ? in_slices(schedule, static_cast<std::uint32_t>(spec.slices)) : in_packets(schedule));
    if (staged)
        *other = in_fifos(*other, bytes, element_bytes, {static_cast<std::uint32_t>(spec.steps_in_flight), spec.step_bytes});
    const Verification verdict = verify(*other);
    if (verdict.ok) return other;
    if (staged)
        throw InputError(schedule.name, 0, "through FIFOs: " + verdict.problems.front(),
            "more engine.steps_in_flight, a larger engine.step_bytes, or engine.staging=none for this schedule");
    throw InputError(schedule.name, 0, (simple ? "in slices: " : "in packets: ") + verdict.problems.front(),
        "engine.protocol=simple and engine.slices=1 for this schedule");
}

}  // namespace weft
