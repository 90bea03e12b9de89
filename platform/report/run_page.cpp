#include "platform/report/run_page.h"

#include <fmt/format.h>

#include "base/units.h"
#include "platform/report/run_parts.h"
#include "platform/result/report.h"
#include "platform/result/summary.h"

namespace weft {

namespace {

std::string title_of(const RunResult& result)
{
    if (result.collectives.size() != 1)
        return fmt::format("{} collectives on {}", result.collectives.size(), result.system);
    const CollectiveResult& run = result.collectives.front();
    return fmt::format("{} of {} on {}", run.op, format_bytes(run.bytes), result.system);
}

std::string subtitle_of(const RunResult& result)
{
    std::string out = fmt::format("{}, {} and {} of a graph of {}; seed {}; ", counted(result.endpoints, "endpoint"),
        counted(result.switches, "switch"), counted(result.links, "link"), counted(result.nodes, "node"), result.seed);
    out += result.fidelity == "flow" ? fmt::format("flow fidelity, {} transfers between ranks", result.messages)
                                     : fmt::format("{} transactions of at most 64 bytes simulated", result.lines);
    if (result.collectives.size() == 1) {
        const CollectiveResult& run = result.collectives.front();
        out = fmt::format("algorithm {}{}, protocol {}, {} ranks; ", run.algorithm,
                  run.price ? " (chosen by " + run.price->chosen_by + ")" : "", run.protocol, run.ranks) +
            out;
    }
    return out;
}

}  // namespace

std::string run_page(const RunResult& result, const ResolvedSystem& system)
{
    constexpr std::size_t parts = 600;
    constexpr std::size_t most_ranks = 128;
    const RunActivity activity = read_activity(result.timeline, result.simulated_ps, parts, most_ranks,
        result.fidelity == "flow" && result.trace.has_value());
    HtmlPage page(title_of(result), subtitle_of(result));
    add_answer(page, result);
    add_warnings(page, result);
    add_system(page, result, system);
    add_timeline(page, result, activity);
    add_trace(page, result);
    add_critical_path(page, result);
    add_ranks(page, result);
    add_links_over_time(page, result);
    add_link_table(page, result);
    add_operations(page, result, activity);
    add_statistics(page, result);
    add_energy(page, result);
    add_parameters(page, result);
    page.data("result", result_json(result, false));
    return page.finish();
}

}  // namespace weft
