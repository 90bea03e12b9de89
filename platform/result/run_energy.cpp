#include "platform/result/run_energy.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "platform/result/energy_accesses.h"
#include "platform/result/energy_links.h"

namespace weft {

namespace {

// The accelerators of one profile.
struct Accelerators {
    double count = 0;
    std::optional<double> operations = 0.0;  // of a trace; nothing: some nodes state none
    std::optional<double> of_kernels;
    bool memory_side = false;
    bool only_timed = false;  // compute nodes take a time in place of their loads and stores
    bool replayed = false;    // some have neither caches nor a memory
};

std::map<std::string, Accelerators> accelerators_of(const RunResult& result, const ResolvedSystem& resolved)
{
    std::map<std::string, Accelerators> out;
    for (const RankResult& rank : result.ranks) {
        const std::optional<NodeId> node = resolved.graph().find(rank.node);
        if (!node) continue;
        Accelerators& of = out[resolved.profile(*node)];
        of.count += 1;
        of.memory_side = of.memory_side || resolved.memory_side(*node).size > 0;
        of.only_timed = of.only_timed || rank.accesses_left_out;
        of.replayed = of.replayed || resolved.model(*node) == "replay";
        if (!rank.operations)
            of.operations.reset();
        else if (of.operations)
            *of.operations += *rank.operations;
        if (result.beside && rank.rank < result.beside->operations.size())
            of.of_kernels = of.of_kernels.value_or(0) + result.beside->operations[rank.rank];
    }
    return out;
}

// By the profile of the accelerator, or of the memory of its own, that a module belongs to; of plug-ins by model.
void count_memories(const RunResult& result, const ResolvedSystem& resolved, std::vector<EnergyCount>& out)
{
    constexpr double bits = 8;
    const bool flow = result.fidelity != "line";
    const std::string why = result.fidelity == "mixed" ? "mixed fidelity counts accesses of the part at lines only"
                                                       : "flow fidelity counts no accesses";
    const AccessesOfRun accesses = accesses_of(result, resolved);
    const std::map<std::string, Accelerators> accelerators = accelerators_of(result, resolved);
    bool trace = false;
    for (const RankResult& rank : result.ranks) trace = trace || !rank.breakdown_ps.empty();
    const auto add = [&](EnergyEvent event, const std::string& name, const Accesses& of, double unit) {
        if (flow) out.push_back({event, name, std::nullopt, why});
        if (!flow && of.counted) out.push_back({event, name, of.bytes * unit, ""});
        if (!flow && !of.why_not.empty()) out.push_back({event, name, std::nullopt, of.why_not});
    };
    // Of pools and of plug-ins.
    const auto add_others = [&](EnergyEvent event, const std::map<std::string, Accesses>& all, double unit) {
        for (const auto& [name, of] : all)
            if (accelerators.count(name) == 0) add(event, name, of, unit);
    };
    const auto add_of = [&](EnergyEvent event, const std::map<std::string, Accesses>& all, const std::string& profile,
                            double unit) {
        const auto found = all.find(profile);
        add(event, profile, found == all.end() ? Accesses() : found->second, unit);
    };
    const auto tell = [&](const std::string& profile, bool memory_side, const std::string& why_not) {
        out.push_back({EnergyEvent::hbm_bit, profile, std::nullopt, why_not});
        out.push_back({EnergyEvent::l2_byte, profile, std::nullopt, why_not});
        if (memory_side) out.push_back({EnergyEvent::memory_side_byte, profile, std::nullopt, why_not});
    };
    add_others(EnergyEvent::hbm_bit, accesses.hbm, bits);
    add_others(EnergyEvent::l2_byte, accesses.l2, 1);
    for (const auto& [profile, of] : accesses.memory_side) add(EnergyEvent::memory_side_byte, profile, of, 1);
    for (const auto& [profile, of] : accelerators) {
        add_of(EnergyEvent::hbm_bit, accesses.hbm, profile, bits);
        add_of(EnergyEvent::l2_byte, accesses.l2, profile, 1);
        if (flow && of.memory_side && accesses.memory_side.count(profile) == 0)
            add(EnergyEvent::memory_side_byte, profile, Accesses(), 1);
        if (of.only_timed)
            tell(profile, of.memory_side,
                resolved.engine().compute == ComputeMode::time
                    ? "what compute nodes load and store moves no transactions (engine.compute=time)"
                    : "what compute nodes of a given duration load and store moves no transactions");
        if (of.replayed) tell(profile, of.memory_side, "accesses of replayed accelerators are not counted");
        // Operations of trace nodes and of background kernels. Those of the kernels count even where those of the nodes are not known.
        std::optional<double> done = trace ? of.operations : std::nullopt;
        if (trace && !done)
            out.push_back(
                {EnergyEvent::operation, profile, std::nullopt, "some compute nodes do not state their operations"});
        if (of.of_kernels) done = done.value_or(0) + *of.of_kernels;
        if (done) out.push_back({EnergyEvent::operation, profile, done, ""});
        out.push_back({EnergyEvent::idle, profile, of.count * static_cast<double>(result.counted_ps), ""});
    }
}

}  // namespace

EnergyResult energy_of_run(const RunResult& result, const ResolvedSystem& resolved, const EnergyTable& table)
{
    return energy_of(table, energy_counts(result, resolved, table), result.counted_ps);
}

std::vector<EnergyCount> energy_counts(const RunResult& result, const ResolvedSystem& resolved,
    const EnergyTable& table)
{
    std::vector<EnergyCount> out;
    count_links(result, resolved, table, out);
    count_memories(result, resolved, out);
    return out;
}

void add_energy_module(RunResult& result)
{
    const EnergyResult& energy = *result.energy;
    std::vector<Statistic> sums;
    if (energy.known())
        sums = {{"low", energy.low_J, "J", "sum of the known parts, lower bound"},
            {"high", energy.high_J, "J", "sum of the known parts, upper bound"},
            {"low_power", energy.low_W, "W", "mean power over the run"},
            {"high_power", energy.high_W, "W", "mean power over the run"}};
    sums.push_back(
        {"unknown", static_cast<double>(energy.unknown.size()), "parts", "parts without a figure or without a count"});
    result.modules.push_back({"energy", "energy", "table", std::move(sums), {}});
}

std::string energy_text(const EnergyResult& energy)
{
    std::string out;
    if (!energy.known())
        out += "\nenergy      not known\n";
    else
        out += fmt::format("\nenergy      {:.4g} to {:.4g} J for the known parts, {:.4g} to {:.4g} W in the mean\n",
            energy.low_J, energy.high_J, energy.low_W, energy.high_W);
    if (!energy.parts.empty())
        out += fmt::format("  {:<10} {:<14}{:>14}  {:>16}  {:>24}  {}\n", "of", "kind", "events", "each", "J", "grade");
    for (const EnergyPart& part : energy.parts) {
        const bool idle = part.event == EnergyEvent::idle;
        out += fmt::format("  {:<10} {:<14}{:>14}  {:>16}  {:>24}  {}\n", section_of(part.event), part.name,
            idle ? fmt::format("{:.4g} s", part.events * 1e-12) : fmt::format("{:.6g}", part.events),
            fmt::format("{:g}-{:g} {}", part.each.low, part.each.high, unit_of(part.event)),
            fmt::format("{:.4g} to {:.4g}", part.low_J, part.high_J), part.each.grade);
    }
    for (const std::string& what : energy.unknown) out += "  unknown: " + what + "\n";
    return out;
}

}  // namespace weft
