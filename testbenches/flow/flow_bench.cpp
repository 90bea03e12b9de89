#include "testbenches/flow/flow_bench.h"

#include <functional>
#include <numeric>

namespace weft::testing {

FlowTime play(std::shared_ptr<const FlowProgram> program, FlowRanks ranks, PathBook& book,
    const EstimateOptions& options, const FlowProfile& profile, std::uint32_t repeat, SwitchRoutes* switches)
{
    FlowCore core(std::move(ranks), book, profile);
    core.set_switches([switches] { return switches; });
    FlowTime out;
    std::function<void()> round = [&] {
        FlowJob job;
        job.program = program;
        job.bytes = options.bytes;
        job.members.resize(program->ranks());
        std::iota(job.members.begin(), job.members.end(), 0U);
        job.threads_each = options.threads_each;
        job.format = options.format;
        job.name = "bench";
        const FlowCore::JobId id = core.open(std::move(job));
        const auto left = std::make_shared<std::uint32_t>(program->ranks());
        for (std::uint32_t rank = 0; rank < program->ranks(); ++rank)
            core.enter(id, rank, [&out, &core, &repeat, &round, left] {
                ++out.left;
                out.end_ps = std::max(out.end_ps, core.now());
                if (--*left == 0 && --repeat > 0) round();
            });
    };
    round();
    core.run();
    out.messages = core.messages();
    out.events = core.events();
    out.blocked = core.blocked();
    return out;
}

FlowTime play(std::shared_ptr<const FlowProgram> program, const CostGraph& graph, const EstimateOptions& options,
    const FlowProfile& profile, std::uint32_t repeat)
{
    PathBook book = book_of(graph);
    SwitchRoutes switches(graph);
    return play(std::move(program), ranks_of(graph), book, options, profile, repeat,
        graph.switches.empty() ? nullptr : &switches);
}

FlowTime play(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options)
{
    return play(std::make_shared<FlowProgram>(program_of(schedule, options.fenced)), graph, options);
}

}  // namespace weft::testing
