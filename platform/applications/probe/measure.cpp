#include "platform/applications/probe/measure.h"

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "platform/applications/probe/parts.h"

namespace weft {

namespace {

// GPUs that the part needs, and whether their memory holds data (chases read addresses from it).
std::size_t endpoints_of(ProbePart part, const ResolvedSystem& system)
{
    const bool peers = part == ProbePart::peer_latency || part == ProbePart::peer_bandwidth;
    return peers ? system.endpoints().size() : part == ProbePart::little ? 2 : 1;
}

bool needs_data(ProbePart part)
{
    return part == ProbePart::latency || part == ProbePart::curve || part == ProbePart::peer_latency ||
        part == ProbePart::synchronisation;
}

}  // namespace

ProbeResult measure(ProbePart part, const ResolvedSystem& system, const ModelRegistry& registry, bool check_protocol)
{
    if (system.endpoints().empty())
        throw InputError(system.infrastructure, 0, "has no accelerator", "a node of type xpu");
    ProbeResult out;
    ProbeBench bench(system, registry, endpoints_of(part, system), needs_data(part), check_protocol);
    switch (part) {
    case ProbePart::latency: measure_latency(system, bench, out); break;
    case ProbePart::caches: measure_caches(system, bench, out); break;
    case ProbePart::one_unit: measure_one_unit(system, bench, out); break;
    case ProbePart::dram: measure_dram(system, bench, out); break;
    case ProbePart::synchronisation: measure_synchronisation(system, bench, out); break;
    case ProbePart::peer_latency: measure_peer_latency(system, bench, out); break;
    case ProbePart::peer_bandwidth: measure_peer_bandwidth(system, bench, out); break;
    case ProbePart::curve: measure_curve(system, bench, out); break;
    case ProbePart::little: measure_little(system, bench, out); break;
    }
    return out;
}

std::string why_absent(const ResolvedSystem& system, const std::string& row)
{
    const NodeId node = system.endpoints().at(0);
    const L2Spec& l2 = system.l2(node);
    const Levels levels(system);
    const ProbeRow* const found = find_probe_row(row);
    const bool peers =
        found != nullptr && (found->part == ProbePart::peer_latency || found->part == ProbePart::peer_bandwidth);
    const auto is = [&row](const char* name) { return row == name; };
    if (peers && system.endpoints().size() < 2) return "there is one accelerator only";
    if ((is("latency.l1") || is("bandwidth.l1")) && levels.l1 == 0) return "accelerators have no L1 (l1.size is 0)";
    if ((is("latency.l2_far") || is("bandwidth.l2_far")) && !l2.mirrored())
        return l2.separate() ? "no unit has lines in the L2 of another partition (l2.partition_policy=private)"
                             : "the L2 has one partition (l2.partitions)";
    if ((is("latency.memory_side") || is("bandwidth.memory_side")) && levels.memory_side == 0)
        return "there is no memory-side cache (memory_side.size is 0)";
    if (is("bandwidth.memory_side") && !l2.separate())
        return "it is read from the lines of another partition of its own, and the L2 has none "
               "(l2.partition_policy=private)";
    if (row.compare(0, 12, "time.handoff") == 0 && system.gpu(node).compute_units < 2) return "there is one unit only";
    if (is("time.handoff_far") && l2.partitions < 2) return "the L2 has one partition (l2.partitions)";
    if (row.compare(0, 10, "bandwidth.") == 0) return "its cache is too small for a piece for each unit";
    return {};
}

std::string part_json(const ProbeResult& result)
{
    using Json = nlohmann::ordered_json;
    Json out{{"values", Json::array()}, {"matrices", Json::array()}, {"curves", Json::array()},
        {"notices", Json::array()}};
    for (const auto& [row, value] : result.values) out["values"].push_back({row, value});
    for (const ProbeMatrix& matrix : result.matrices)
        out["matrices"].push_back({matrix.name, matrix.unit, matrix.values});
    for (const ProbeCurve& curve : result.curves)
        out["curves"].push_back({curve.name, curve.x_unit, curve.y_unit, curve.points, curve.expected});
    for (const auto& [row, notice] : result.notices) out["notices"].push_back({row, notice});
    return out.dump() + "\n";
}

ProbeResult part_from_json(const std::string& text)
{
    using Json = nlohmann::json;
    ProbeResult out;
    try {
        const Json json = Json::parse(text);
        for (const Json& value : json.at("values")) out.add(value.at(0), value.at(1));
        for (const Json& matrix : json.at("matrices"))
            out.matrices.push_back({matrix.at(0), matrix.at(1), matrix.at(2).get<std::vector<std::vector<double>>>()});
        for (const Json& curve : json.at("curves"))
            out.curves.push_back({curve.at(0), curve.at(1), curve.at(2),
                curve.at(3).get<std::vector<std::pair<double, double>>>(), curve.at(4).get<std::vector<double>>()});
        for (const Json& notice : json.at("notices")) out.notices.emplace_back(notice.at(0), notice.at(1));
    } catch (const Json::exception&) {
        throw InputError("weft", 0, "a simulation of the probe gave no result");
    }
    return out;
}

}  // namespace weft
