#include "platform/result/run_energy.h"

#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "platform/result/energy_accesses.h"
#include "platform/result/energy_links.h"

namespace weft {

namespace {

// By the profile of the accelerator, or of the memory of its own, that a module belongs to; of plug-ins by model.
void count_memories(const RunResult& result, const ResolvedSystem& resolved, std::vector<EnergyCount>& out)
{
    std::unordered_map<std::string, std::string> profiles;
    for (const auto* nodes : {&resolved.endpoints(), &resolved.memories()})
        for (const NodeId node : *nodes) profiles.emplace(resolved.graph().node(node).name, resolved.profile(node));
    constexpr double bits = 8;
    const bool flow = result.fidelity != "line";
    const std::string why = result.fidelity == "mixed" ? "mixed fidelity counts accesses of the part at lines only"
                                                       : "flow fidelity counts no accesses";
    const AccessesOfRun accesses = accesses_of(result, resolved);
    std::map<std::string, double> ranks;
    std::map<std::string, std::optional<double>> operations;
    std::map<std::string, double> of_kernels;
    for (const RankResult& rank : result.ranks) {
        const std::string& profile = profiles[rank.node];
        ranks[profile] += 1;
        auto& sum = operations.try_emplace(profile, 0.0).first->second;
        if (!rank.operations)
            sum.reset();
        else if (sum)
            *sum += *rank.operations;
    }
    if (result.beside)
        for (const RankResult& rank : result.ranks)
            if (rank.rank < result.beside->operations.size())
                of_kernels[profiles[rank.node]] += result.beside->operations[rank.rank];
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
            if (ranks.count(name) == 0) add(event, name, of, unit);
    };
    const auto add_of = [&](EnergyEvent event, const std::map<std::string, Accesses>& all, const std::string& profile,
                            double unit) {
        const auto found = all.find(profile);
        add(event, profile, found == all.end() ? Accesses() : found->second, unit);
    };
    add_others(EnergyEvent::hbm_bit, accesses.hbm, bits);
    add_others(EnergyEvent::l2_byte, accesses.l2, 1);
    for (const auto& [profile, of] : accesses.memory_side) add(EnergyEvent::memory_side_byte, profile, of, 1);
    for (const auto& [profile, count] : ranks) {
        add_of(EnergyEvent::hbm_bit, accesses.hbm, profile, bits);
        add_of(EnergyEvent::l2_byte, accesses.l2, profile, 1);
        if (trace && resolved.engine().compute == ComputeMode::time && operations[profile].value_or(1) > 0)
            out.push_back({EnergyEvent::hbm_bit, profile, std::nullopt,
                "what compute nodes load and store moves no transactions (engine.compute=time)"});
        // Operations of trace nodes and of background kernels. Those of the kernels count even where those of the nodes are not known.
        std::optional<double> done = trace ? operations[profile] : std::nullopt;
        if (trace && !done)
            out.push_back(
                {EnergyEvent::operation, profile, std::nullopt, "some compute nodes do not state their operations"});
        if (const auto kernels = of_kernels.find(profile); kernels != of_kernels.end())
            done = done.value_or(0) + kernels->second;
        if (done) out.push_back({EnergyEvent::operation, profile, done, ""});
        out.push_back({EnergyEvent::idle, profile, count * static_cast<double>(result.counted_ps), ""});
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
