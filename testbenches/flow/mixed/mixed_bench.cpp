#include "testbenches/flow/mixed/mixed_bench.h"

#include "platform/applications/flow/run_flow.h"
#include "platform/applications/flow/run_mixed.h"
#include "platform/assembly/model_registry.h"

namespace weft::testing {

Json mixed_run(const RunSetup& setup, const std::string& lines)
{
    return result_of([&] {
        const ResolvedSystem system = resolve_setup(setup);
        ModelRegistry registry;
        RunOptions options = setup.options;
        options.progress = false;
        options.data_on = false;
        options.lines = lines;
        if (lines.empty()) return run_system(system, registry, options);
        return lines == "flow" ? run_flow(system, options) : run_mixed(system, registry, options);
    });
}

RunSetup on(const std::string& document, const std::string& lines)
{
    RunSetup out;
    out.document = document;
    out.lines = lines;
    return out;
}

}  // namespace weft::testing
