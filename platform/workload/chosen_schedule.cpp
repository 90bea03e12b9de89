#include "platform/workload/chosen_schedule.h"

#include "base/diagnostic.h"
#include "collectives/engine/protocol_choice.h"
#include "collectives/schedule/verification/verify.h"
#include "collectives/synthesis/choose.h"

namespace weft {

bool is_choice(const std::string& algorithm) { return algorithm == "auto" || algorithm == "synthesize"; }

namespace {

// A schedule that cannot be verified is not run, and one that the engine cannot carry out is no choice.
Refusal refusal_of(const Schedule& schedule, const EngineSpec& engine, const CollectiveRequest& request)
{
    const Verification verdict = verify(schedule);
    if (verdict.too_large) return {"too large to be verified: " + verdict.problems.front(), "fewer ranks or channels"};
    try {
        ProtocolChoice().carried_out(std::make_shared<const Schedule>(schedule), engine, request.bytes,
            static_cast<std::uint32_t>(size_of(request.type)));
    } catch (const InputError& error) {
        return {error.diagnostics().front().what, error.diagnostics().front().expected};
    }
    return {};
}

}  // namespace

ChosenSchedule chosen_schedule(const ResolvedSystem& system, const CostGraph& graph, const CollectiveRequest& request,
    ChoiceResult& result, PricingLine& line, const WrittenChannels& written)
{
    line.begin(request.op, request.bytes, request.members.size());
    ChoiceRequest wanted;
    wanted.watch = [&line](const PricingState& state) { line.at(state); };
    wanted.op = request.op;
    wanted.bytes = request.bytes;
    wanted.options = request.options;
    const EngineSpec& engine = system.engine();
    wanted.protocol = engine.protocol;
    wanted.slices = static_cast<std::uint32_t>(engine.slices);
    wanted.fenced = wanted.protocol == Protocol::ll128 && engine.ll128_fence;
    if (system.workload.chunks > 0) wanted.chunks = {static_cast<std::uint32_t>(system.workload.chunks)};
    wanted.written = written;
    wanted.refusal = [&](const Schedule& schedule) { return refusal_of(schedule, engine, request); };
    ScheduleChoice choice =
        request.algorithm == "auto" ? choose_algorithm(graph, wanted) : choose_synthesized(graph, wanted);
    result.asked = request.algorithm;
    result.without_price = std::move(choice.without_price);
    for (PassedOver& one : choice.passed_over)
        result.passed_over.push_back({std::move(one.name), one.time_ps, std::move(one.why)});
    for (Candidate& candidate : choice.candidates)
        result.priced.push_back({std::move(candidate.name), candidate.estimate.time_ps, std::move(candidate.why),
            std::move(candidate.terms)});
    const ChoiceResult::Priced& taken = result.priced.front();
    choice.schedule.name = taken.algorithm;
    auto price = std::make_shared<SchedulePrice>();
    price->chosen_by = request.algorithm;
    price->estimate_ps = taken.time_ps;
    for (const EstimateTerm& term : taken.terms) price->terms.emplace_back(term.name, term.ps);
    choice.schedule.price = std::move(price);
    return {std::make_shared<const Schedule>(std::move(choice.schedule)), choice.channels};
}

}  // namespace weft
