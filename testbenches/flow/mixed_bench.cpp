#include "testbenches/flow/mixed_bench.h"

#include "base/diagnostic.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/applications/flow/run_mixed.h"
#include "platform/assembly/model_registry.h"
#include "platform/result/report.h"

namespace weft::testing {

Json mixed_run(const RunSetup& setup, const std::string& lines)
{
    constexpr unsigned limit_s = 100;
    const std::string text = in_timed_child(
        [&] {
            Json out;
            try {
                const ResolvedSystem system = resolve_setup(setup);
                ModelRegistry registry;
                RunOptions options = setup.options;
                options.progress = false;
                options.data_on = false;
                options.lines = lines;
                const RunResult result = lines.empty() ? run_system(system, registry, options)
                    : lines == "flow"                  ? run_flow(system, options)
                                                       : run_mixed(system, registry, options);
                out = Json::parse(result_json(result, false));
                out["blocked"] = result.blocked;
                out["exit_code"] = result.exit_code();
            } catch (const InputError& error) {
                out["refused"] = error.what();
            }
            return out.dump();
        },
        limit_s);
    return text.empty() ? Json::object() : Json::parse(text);
}

RunSetup on(const std::string& document, const std::string& lines)
{
    RunSetup out;
    out.document = document;
    out.lines = lines;
    return out;
}

}  // namespace weft::testing
