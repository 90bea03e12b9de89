#include "collectives/engine/protocol_choice.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "collectives/schedule/protocol.h"
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

std::shared_ptr<const Schedule> ProtocolChoice::carried_out(std::shared_ptr<const Schedule> schedule, const EngineSpec& spec)
{
    const auto protocol = static_cast<Protocol>(spec.protocol);
    const bool own = has_packets(*schedule);
    if ((own || protocol != Protocol::simple) && static_cast<Mover>(spec.mover) != Mover::units)
        throw InputError(schedule->name, 0, "packets, which only units store and look at, with engine.mover other than units",
            "engine.mover=units, or engine.protocol=simple");
    if (own || (protocol == Protocol::simple && spec.slices <= 1)) return schedule;
    std::shared_ptr<const Schedule>& made = made_[{schedule, spec.protocol, spec.slices}];
    if (!made) {
        auto other = std::make_shared<Schedule>(protocol == Protocol::simple
                                                    ? in_slices(*schedule, static_cast<std::uint32_t>(spec.slices))
                                                    : in_packets(*schedule));
        const Verification verdict = verify(*other);
        if (!verdict.ok)
            throw InputError(schedule->name, 0,
                (protocol == Protocol::simple ? std::string("in slices: ") : std::string("in packets: ")) +
                    verdict.problems.front(),
                "engine.protocol=simple and engine.slices=1 for this schedule");
        made = std::move(other);
    }
    return made;
}

}  // namespace weft
