#include "collectives/engine/protocol_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/channels.h"
#include "collectives/schedule/protocol/protocol.h"
#include "collectives/schedule/protocol/staging.h"
#include "collectives/schedule/verification/symbolic_memory.h"
#include "collectives/schedule/verification/verify.h"

namespace weft {

namespace {

bool has_packets(const Schedule& schedule)
{
    return std::any_of(schedule.ranks.begin(), schedule.ranks.end(),
        [](const RankPlan& plan) { return plan.packet_chunks > 0; });
}

template <typename Test>
bool any_step(const Schedule& schedule, Test test)
{
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            if (std::any_of(thread.steps.begin(), thread.steps.end(), test)) return true;
    return false;
}

// Whether `engine.channel` changes what steps go through. Refuses what contradicts the schedule or who moves its data.
bool marks_channels(const Schedule& schedule, const EngineSpec& spec)
{
    const auto channel = spec.channel;
    const bool left_to_switches = any_step(schedule, [](const Step& step) { return in_switch(step.kind); });
    if (channel == EngineChannel::in_switch && !left_to_switches)
        throw InputError(schedule.name, 0, "engine.channel=switch with an algorithm that has no steps in switches",
            "an algorithm with steps in switches, or another engine.channel");
    if (channel == EngineChannel::memory && left_to_switches)
        throw InputError(schedule.name, 0, "engine.channel=memory with an algorithm that has steps in switches",
            "an algorithm of loads and stores, or engine.channel=switch");
    const bool named = has_ports(schedule);
    const bool ports = channel == EngineChannel::port || (channel == EngineChannel::any && named);
    if (ports && spec.mover != Mover::units)
        throw InputError(schedule.name, 0,
            "port channels with engine.mover other than units: the proxy of a port channel uses the copy engines "
            "itself",
            "engine.mover=units, or engine.channel=memory");
    if (channel == EngineChannel::port && (has_packets(schedule) || spec.protocol != Protocol::simple))
        throw InputError(schedule.name, 0, "engine.channel=port with packets: only units store packets",
            "engine.protocol=simple, or engine.channel=memory");
    return channel == EngineChannel::port || (channel != EngineChannel::any && named);
}

void mark_channels(Schedule& schedule, const EngineSpec& spec)
{
    const bool port = spec.channel == EngineChannel::port;
    for (RankPlan& plan : schedule.ranks)
        for (Thread& thread : plan.threads)
            for (Step& step : thread.steps) {
                if (port && step.kind == StepKind::nop) continue;  // flushes where it did
                step.channel = port && (step.kind == StepKind::move || step.kind == StepKind::signal)
                    ? StepChannel::port
                    : StepChannel::memory;
            }
}

// Whether nothing but the data of its steps has ranks wait for each other.
bool only_pushes(const Schedule& schedule)
{
    return any_step(schedule, [](const Step&) { return true; }) &&
        !any_step(schedule, [](const Step& step) { return step.kind != StepKind::push_reduce; });
}

// Every member tells every other and hears of it, in place of each push.
Schedule meeting(Schedule schedule)
{
    const std::uint32_t ranks = schedule.size();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankPlan& plan = schedule.ranks[rank];
        plan.semaphores = static_cast<std::uint32_t>(plan.threads.size()) * ranks;
        for (std::uint32_t thread = 0; thread < plan.threads.size(); ++thread) {
            const std::vector<Step> pushes = std::move(plan.threads[thread].steps);
            std::vector<Step>& steps = plan.threads[thread].steps;
            steps.clear();
            for (const Step& push : pushes) {
                for (const ChunkRef& member : push.destinations)
                    if (member.rank != rank) steps.push_back(signal_step(member.rank, thread * ranks + rank));
                for (const ChunkRef& member : push.destinations)
                    if (member.rank != rank) steps.push_back(wait_step(member.rank, thread * ranks + member.rank));
            }
        }
    }
    return schedule;
}

}  // namespace

const char* protocol_of(const Schedule& schedule, const EngineSpec& spec)
{
    if (!has_packets(schedule)) return name_of(Protocol::simple);
    return name_of(spec.protocol == Protocol::ll128 ? Protocol::ll128 : Protocol::ll);
}

bool has_ports(const Schedule& schedule)
{
    return any_step(schedule, [](const Step& step) { return step.channel == StepChannel::port; });
}

std::shared_ptr<const Schedule> ProtocolChoice::carried_out(std::shared_ptr<const Schedule> schedule,
    const EngineSpec& spec, std::uint64_t bytes, std::uint32_t element_bytes)
{
    const auto protocol = spec.protocol;
    const bool own = has_packets(*schedule);
    const bool staged = spec.staging == StagingMode::fifo;
    if ((own || protocol != Protocol::simple) && spec.mover != Mover::units)
        throw InputError(schedule->name, 0,
            "packets with engine.mover other than units: only units store and poll packets",
            "engine.mover=units, or engine.protocol=simple");
    if (staged && protocol != Protocol::simple)
        throw InputError(schedule->name, 0, "engine.staging=fifo with packets: packets have slots of their own",
            "engine.protocol=simple, or engine.staging=none");
    const bool marks = marks_channels(*schedule, spec);
    if (bytes == 0 && protocol == Protocol::simple && only_pushes(*schedule)) {
        // No slices: a key that no other form of the schedule has.
        std::shared_ptr<const Schedule>& made = made_[{schedule, spec.channel, spec.protocol, {}}];
        if (!made) made = std::make_shared<const Schedule>(meeting(*schedule));
        return made;
    }
    const bool as_it_is = own || (protocol == Protocol::simple && spec.slices <= 1 && !staged);
    if (as_it_is && !marks) return schedule;
    Key key{schedule, spec.channel, spec.protocol, {spec.slices, 0, 0, 0, 0}};
    if (staged) std::get<3>(key) = {spec.slices, spec.steps_in_flight, spec.step_bytes, bytes, element_bytes};
    std::shared_ptr<const Schedule>& made = made_[key];
    if (!made) {
        auto other = std::make_shared<Schedule>(whole(*schedule));
        if (!as_it_is) *other = make(*other, spec, bytes, element_bytes);
        if (marks) mark_channels(*other, spec);
        made = std::move(other);
    }
    if (!as_it_is) require_right(*schedule, *made, spec, message_of(bytes, element_bytes));
    return made;
}

Schedule ProtocolChoice::make(const Schedule& schedule, const EngineSpec& spec, std::uint64_t bytes,
    std::uint32_t element_bytes)
{
    const bool simple = spec.protocol == Protocol::simple;
    Schedule other = simple ? in_slices(schedule, static_cast<std::uint32_t>(spec.slices)) : in_packets(schedule);
    if (spec.staging == StagingMode::none) return other;
    return in_fifos(other, bytes, element_bytes, {static_cast<std::uint32_t>(spec.steps_in_flight), spec.step_bytes});
}

// Parts of a chunk that is no whole number of lines are cut where they are no parts of the chunk that they go to.
void ProtocolChoice::require_right(const Schedule& schedule, const Schedule& made, const EngineSpec& spec,
    VerifyOptions message)
{
    const std::uint64_t even = SymbolicMemory::even_message(made);
    if (message.bytes % even == 0) message = {};
    const std::tuple message_of_made{&made, message.bytes, message.element_bytes};
    if (right_.count(message_of_made) > 0) return;
    Verification verdict = verify(made, message);
    // A message with fewer elements than chunks: where the schedule itself is right for others only, so is this.
    if (!verdict.ok && message.bytes > 0 && !verify(schedule, message).ok) verdict = verify(made);
    if (verdict.ok) {
        right_.insert(message_of_made);
        return;
    }
    if (spec.staging != StagingMode::none)
        throw InputError(schedule.name, 0, "through FIFOs: " + verdict.problems.front(),
            "more engine.steps_in_flight, a larger engine.step_bytes, or engine.staging=none for this schedule");
    const bool simple = spec.protocol == Protocol::simple;
    throw InputError(schedule.name, 0, (simple ? "in slices: " : "in packets: ") + verdict.problems.front(),
        "engine.protocol=simple and engine.slices=1 for this schedule" +
            (message.bytes > 0 ? fmt::format(", or a message of a multiple of {} bytes", even) : ""));
}

}  // namespace weft
