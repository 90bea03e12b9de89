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
    case ProbePart::peer_latency: measure_peer_latency(bench, out); break;
    case ProbePart::peer_bandwidth: measure_peer_bandwidth(system, bench, out); break;
    case ProbePart::curve: measure_curve(system, bench, out); break;
    case ProbePart::little: measure_little(system, bench, out); break;
    }
    return out;
}

std::string part_json(const ProbeResult& result)
{
    using Json = nlohmann::ordered_json;
    Json out{{"values", Json::array()}, {"matrices", Json::array()}, {"curves", Json::array()}};
    for (const auto& [row, value] : result.values) out["values"].push_back({row, value});
    for (const ProbeMatrix& matrix : result.matrices)
        out["matrices"].push_back({matrix.name, matrix.unit, matrix.values});
    for (const ProbeCurve& curve : result.curves)
        out["curves"].push_back({curve.name, curve.x_unit, curve.y_unit, curve.points, curve.expected});
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
    } catch (const Json::exception&) {
        throw InputError("weft", 0, "a simulation of the probe gave no result");
    }
    return out;
}

}  // namespace weft
