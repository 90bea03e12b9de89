#include "platform/commands/run_outputs.h"

#include "platform/commands/version.h"
#include "platform/configuration/parameters/glob.h"
#include "platform/console/messages.h"
#include "platform/report/run_page.h"
#include "platform/result/input_files.h"
#include "platform/result/report.h"
#include "platform/result/timeline_counters.h"

namespace weft {

RunOutputs::RunOutputs(const RunCommandLine& line, bool speaks)
    : json_(speaks ? line.files().json : ""), series_(speaks ? line.files().series : ""),
      record_(speaks ? line.files().record : ""), timeline_(speaks ? line.files().timeline : ""),
      html_(speaks ? line.files().html : ""), plan_(speaks ? line.files().plan : ""),
      inputs_(speaks ? line.files().inputs : ""),
      fault_(speaks && line.files().fault_wave != "none" ? line.files().fault_wave : "")
{
}

Waves RunOutputs::waves(const RunCommandLine& line)
{
    const std::vector<std::string>& options = line.waves();
    const std::string& window = line.wave_window();
    Waves out;
    for (const std::string& option : options) {
        const std::size_t at = option.find('=');
        if (at == 0 || at == std::string::npos || at + 1 == option.size())
            throw usage_error("option '--wave' has the value '" + option + "'",
                "GLOB=FILE, such as '*.nvsw.1=switch.fst'");
        out.entries.push_back({option.substr(0, at), option.substr(at + 1)});
        if (option.size() > 4 && option.compare(option.size() - 4, 4, ".vcd") == 0)
            throw usage_error("option '--wave' names the file '" + out.entries.back().file + "'; waveforms are FST",
                "a name such as switch.fst");
        // A pattern has a file for each instance, named after this one: claimed when the instances are known.
        if (!has_glob(out.entries.back().instances))
            waves_.emplace_back(out.entries.back().file);
        else
            OutputFile::try_path(out.entries.back().file);
    }
    if (window.empty()) return out;
    const std::size_t colon = window.find(':');
    if (colon == std::string::npos || options.empty())
        throw usage_error("option '--wave-window' has the value '" + window + "'",
            "FROM:TO, such as 10us:12us, together with --wave");
    out.from = time_option("--wave-window", window.substr(0, colon));
    out.to = time_option("--wave-window", window.substr(colon + 1));
    if (out.to < out.from)
        throw usage_error("option '--wave-window' ends before it begins", "FROM:TO with FROM before TO");
    return out;
}

void RunOutputs::write(const RunResult& result, const ResolvedSystem& system, const RunCommandLine& line) const
{
    json_.write(json_.wanted() ? result_json(result, line.timing()) : "");
    series_.write(result.series);
    record_.write(result.record);
    timeline_.write(timeline_.wanted() ? with_counters(result.timeline, result.series) : "");
    plan_.write(result.plan);
    inputs_.write(inputs_.wanted() ? inputs_json(version_text(), input_files()) : "");
    if (html_.wanted()) html_.write(run_page(result, system));
}

}  // namespace weft
