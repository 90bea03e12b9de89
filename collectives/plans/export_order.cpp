#include "collectives/plans/export_order.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "collectives/plans/msccl_reader.h"
#include "collectives/schedule/verification/verify.h"

namespace weft {

namespace {

// Steps that have no counterpart of their own.
struct Forms {
    bool loads = false;    // of memory of other ranks
    bool several = false;  // stored to more than one other rank
    bool sums = false;     // of more terms than a step of the file has
    bool together = false;
};

Forms forms_of(const Schedule& schedule)
{
    Forms out;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (step.kind != StepKind::move) continue;
                const auto elsewhere = [rank](const ChunkRef& ref) { return ref.rank != rank; };
                const auto stores = std::count_if(step.destinations.begin(), step.destinations.end(), elsewhere);
                out.loads |= std::any_of(step.sources.begin(), step.sources.end(), elsewhere);
                out.several |= stores > 1;
                out.sums |= step.sources.size() > 2;
                out.together |= step.with_previous;
            }
    return out;
}

// The longest chain where stores to one rank that are issued together go one after the other, as sends of a connection do.
std::uint32_t chain_by_connections(Schedule schedule)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (Thread& thread : schedule.ranks[rank].threads) {
            std::set<std::uint32_t> sent_to;
            for (Step& step : thread.steps) {
                const auto again = [&sent_to](const ChunkRef& ref) { return sent_to.count(ref.rank) > 0; };
                if (std::any_of(step.destinations.begin(), step.destinations.end(), again)) step.with_previous = false;
                if (!step.with_previous) sent_to.clear();
                for (const ChunkRef& destination : step.destinations)
                    if (destination.rank != rank) sent_to.insert(destination.rank);
            }
        }
    return verify(schedule).steps;
}

}  // namespace

std::string export_changes(const Schedule& schedule, const std::string& xml)
{
    const Forms forms = forms_of(schedule);
    const Verification before = verify(schedule);
    const Verification after = verify(read_msccl_xml(xml, "").schedule);
    const bool known = !before.too_large && !after.too_large;
    const bool grown = known && after.steps > before.steps;
    std::vector<const char*> reasons;
    if (known && after.steps < before.steps)
        reasons.push_back("signals, waits and barriers that no data need are not in MSCCL XML");
    const std::uint32_t in_turn = grown && forms.together ? chain_by_connections(schedule) : before.steps;
    if (in_turn > before.steps)
        reasons.push_back("stores to a rank that are issued together become sends one after the other");
    const bool more = grown && after.steps > in_turn;
    if (forms.several)
        reasons.push_back(more ? "a step that stores to several ranks becomes a send to each, and the others wait for "
                                 "the one that is one step with the receive or the sum"
                               : "a step that stores to several ranks becomes a send to each");
    if (forms.sums) reasons.push_back("a sum of several terms becomes a step for each");
    if (forms.loads) reasons.push_back("loads become sends of the other side");
    if (more && !forms.several && !forms.loads)
        reasons.push_back("a receive and the send behind it become one step, which later ones of its block wait for");
    if (reasons.empty() && !grown) return {};
    std::string out = fmt::format("the exported plan keeps the name {}, but its times differ", schedule.name);
    if (known && before.steps != after.steps)
        out += fmt::format(", and its longest chain of dependent transfers has {} instead of {}", after.steps,
            before.steps);
    for (std::size_t i = 0; i < reasons.size(); ++i) out += fmt::format("{}{}", i == 0 ? ": " : "; ", reasons[i]);
    return out;
}

}  // namespace weft
