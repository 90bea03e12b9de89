#include "platform/commands/texts/workload_text.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "collectives/workload/model_reader.h"
#include "collectives/workload/parameters.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// 174604013568 as "174.6 B".
std::string short_count(double value)
{
    constexpr std::pair<double, const char*> steps[] = {{1e12, " T"}, {1e9, " B"}, {1e6, " M"}};
    for (const auto& [scale, unit] : steps)
        if (value >= scale) return fmt::format("{:.4g}{}", value / scale, unit);
    return fmt::format("{:.0f}", value);
}

std::string short_bytes(std::uint64_t bytes)
{
    constexpr std::pair<double, const char*> steps[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}};
    for (const auto& [scale, unit] : steps)
        if (static_cast<double>(bytes) >= scale)
            return fmt::format("{:.4g} {}", static_cast<double>(bytes) / scale, unit);
    return fmt::format("{} B", bytes);
}

std::string operations_lines(const WorkloadPage& page)
{
    std::string out;
    double model = 0;
    for (std::size_t i = 0; i < workload::work_count; ++i) {
        const double all = page.report.operations[i];
        if (all == 0) continue;
        const auto work = static_cast<workload::Work>(i);
        if (work == workload::Work::forward || work == workload::Work::backward) model += all;
        out += fmt::format("  {:<11}{:>12.5g}  rank 0 {:>12.5g}\n", workload::name_of(work), all,
            static_cast<double>(page.report.first.operations[i]));
    }
    if (out.empty()) return out;
    out = "operations, of all ranks (two for a multiply-add)\n" + out;
    if (page.tokens > 0 && page.report.operations[1] > 0) {
        const std::uint64_t active = page.active_parameters > 0 ? page.active_parameters : page.parameters;
        const double usual = 6.0 * static_cast<double>(active) * static_cast<double>(page.tokens);
        out += fmt::format("  forward and backward are {:.3f} of 6 N x {} tokens = {:.5g}\n", model / usual,
            page.tokens, usual);
    }
    return out;
}

std::string communication_lines(const WorkloadPage& page)
{
    if (page.report.first.communication.empty()) return "";
    std::string out = "communication of rank 0 (bytes as nccl-tests counts them; sent: the least that an algorithm "
                      "without steps in switches sends)\n";
    out += fmt::format("  {:<11}{:<15}{:>6}{:>8}  {:>10}  {:>10}\n", "for", "operation", "ranks", "count", "bytes",
        "sent");
    for (const auto& [key, sum] : page.report.first.communication)
        out += fmt::format("  {:<11}{:<15}{:>6}{:>8}  {:>10}  {:>10}\n", key.scheme, key.operation, key.ranks,
            sum.count, short_bytes(sum.bytes), short_bytes(sum.sent));
    return out;
}

Json sum_json(const workload::CommunicationKey& key, const workload::CommunicationSum& sum)
{
    return {{"for", key.scheme}, {"operation", key.operation}, {"ranks", key.ranks}, {"count", sum.count},
        {"bytes", sum.bytes}, {"sent_bytes", sum.sent}};
}

Json communication_json(const std::map<workload::CommunicationKey, workload::CommunicationSum>& sums)
{
    Json out = Json::array();
    for (const auto& [key, sum] : sums) out.push_back(sum_json(key, sum));
    return out;
}

}  // namespace

std::string workload_text(const WorkloadPage& page)
{
    std::string out = page.title + "\n";
    if (page.parameters > 0) {
        out += fmt::format("parameters    {}", short_count(static_cast<double>(page.parameters)));
        if (page.active_parameters > 0 && page.active_parameters != page.parameters)
            out += fmt::format(", {} active for a token", short_count(static_cast<double>(page.active_parameters)));
        if (page.report.first.parameters > 0)
            out += fmt::format("; rank 0 works on {}", short_count(static_cast<double>(page.report.first.parameters)));
        out += "\n";
    }
    out += operations_lines(page) + communication_lines(page);
    if (page.report.bubble)
        out += fmt::format("pipeline      idle for {:.2f} % of the busiest stage's work, without communication; "
                           "(p-1)/(v m) = {:.2f} %\n",
            100 * *page.report.bubble, 100 * page.report.bubble_formula);
    out += fmt::format("traces        {} ranks, {} groups, {} nodes", page.report.ranks, page.report.groups,
        page.report.nodes);
    if (page.prefix.empty()) return out + "; not written (-o PREFIX writes them)\n";
    out += ", " + short_bytes(page.report.file_bytes) + "\n";
    const std::string groups = page.report.groups > 0 ? " --groups " + page.prefix + "_groups.json" : "";
    return out + "to run        weft run SYSTEM --trace " + page.prefix + groups + " --fidelity flow\n";
}

std::string workload_json(const WorkloadPage& page)
{
    Json out;
    out["schema"] = "weft.workload/1";
    out["title"] = page.title;
    out["parameters"] = page.parameters;
    out["active_parameters"] = page.active_parameters > 0 ? page.active_parameters : page.parameters;
    out["tokens"] = page.tokens;
    out["ranks"] = page.report.ranks;
    out["groups"] = page.report.groups;
    out["nodes"] = page.report.nodes;
    Json& operations = out["operations"] = Json::object();
    for (std::size_t i = 0; i < workload::work_count; ++i)
        operations[workload::name_of(static_cast<workload::Work>(i))] = page.report.operations[i];
    out["rank_0"] = {{"parameters", page.report.first.parameters}, {"operations", Json::object()},
        {"communication", communication_json(page.report.first.communication)}};
    for (std::size_t i = 0; i < workload::work_count; ++i)
        out["rank_0"]["operations"][workload::name_of(static_cast<workload::Work>(i))] =
            page.report.first.operations[i];
    out["communication"] = communication_json(page.report.communication);
    out["bubble"] = page.report.bubble ? Json(*page.report.bubble) : Json();
    out["bubble_formula"] = page.report.bubble ? Json(page.report.bubble_formula) : Json();
    out["prefix"] = page.prefix;
    out["notices"] = page.report.notices;
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string models_text()
{
    std::string out = fmt::format("{:<15}{:<13}{:>18}  {}\n", "model", "kind", "parameters", "published");
    for (const workload::Model& model : workload::named_models()) {
        constexpr const char* kinds[] = {"transformer", "dlrm", "cnn"};
        out += fmt::format("{:<15}{:<13}{:>18}  ", model.name, kinds[static_cast<std::size_t>(model.kind)],
            workload::parameters(model));
        for (std::size_t i = 0; i < model.published.size(); ++i) {
            const workload::Published& figure = model.published[i];
            if (i > 0) out += fmt::format("\n{:48}", "");
            const bool main = figure.quantity == "parameters";
            out += (main ? ""
                         : fmt::format("{} {}, published ", figure.quantity,
                               *workload::quantity(model, figure.quantity))) +
                figure.value + " (" + figure.source + "; " + figure.grade + ")";
        }
        out += "\n";
    }
    return out;
}

}  // namespace weft
