#include "platform/applications/flow/run_flow.h"

#include "platform/applications/flow/flow_run.h"

namespace weft {

RunResult run_flow(const ResolvedSystem& resolved, const RunOptions& options)
{
    {
        FlowRun run(resolved, options);
        RunResult result = run.run();
        if (!run.tied() || result.stop == StopReason::interrupted) return result;
    }
    RunOptions all = options;
    all.symmetry = false;
    RunResult result = FlowRun(resolved, all).run();
    result.symmetry = "off: transfers come to one link at the same time, and their order counts";
    return result;
}

}  // namespace weft
