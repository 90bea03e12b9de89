#include "platform/applications/flow/flow_calibration.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "infragraph/fields.h"
#include "infragraph/yaml_tree.h"
#include "platform/configuration/explain.h"
#include "platform/result/input_files.h"

namespace weft {

namespace {

constexpr std::size_t most_bytes_of_file = std::size_t{1} << 20;
constexpr double most_packets = 16;
constexpr const char* calibration_schema = "weft.calibration/1";

}  // namespace

FlowCalibration uncalibrated()
{
    return {"none", 0.5, 0.5, "an acknowledge comes at any time of a packet with the same probability"};
}

std::string blocks_digest(const ResolvedSystem& system)
{
    std::set<std::string> values;
    for (const ExplainedParameter& parameter : explained_parameters(system)) {
        const std::size_t name = parameter.path.rfind('.');
        const std::size_t block = name == std::string::npos ? name : parameter.path.rfind('.', name - 1);
        if (block == std::string::npos) continue;  // engine.*, routing.*: of the workload, not of a building block
        values.insert(parameter.path.substr(block + 1) + "=" + parameter.text());
    }
    std::string all;
    for (const std::string& value : values) all += value + "\n";
    return text_digest(all);
}

FlowCalibration read_calibration(const std::string& path, const ResolvedSystem& system)
{
    const YamlTree tree(path, read_text_file(path, most_bytes_of_file));
    Findings findings(path, false);
    Fields fields(tree, tree.root(), "calibration", findings);
    const auto schema = fields.text("schema");
    const auto name = fields.text("system");
    const auto digest = fields.text("blocks");
    const auto value = fields.get("credit_wait");
    fields.get("error");
    fields.get("probes");
    fields.finish();
    findings.throw_if_failed();
    if (!schema || *schema != calibration_schema || !digest || !value)
        throw InputError(path, 1, "is no calibration of flow fidelity", "a file that 'weft calibrate' wrote");
    double wait = -1;
    try {
        wait = std::stod(std::string(tree.text_or_empty(*value)));
    } catch (const std::exception&) {
        wait = -1;
    }
    if (!(wait >= 0 && wait <= most_packets))
        throw InputError(path, tree.line(*value), "'credit_wait' is " + tree.describe(*value),
            fmt::format("a number of packets from 0 to {:.0f}", most_packets));
    const std::string own = blocks_digest(system);
    if (*digest != own)
        throw InputError(path, 1,
            fmt::format("this calibration is of '{}' with the building blocks {}, but those of '{}' are {}",
                name.value_or("?"), *digest, system.name, own),
            "a calibration of this system: weft calibrate");
    return {"file", wait, wait, path};
}

double error_of(const std::vector<CalibrationProbe>& probes)
{
    double sum = 0;
    for (const CalibrationProbe& probe : probes) {
        const double error = static_cast<double>(probe.flow_ps) / static_cast<double>(probe.line_ps) - 1;
        sum += error * error;
    }
    return probes.empty() ? 0 : std::sqrt(sum / static_cast<double>(probes.size()));
}

std::string calibration_text(const std::string& system, const std::string& digest, double credit_wait,
    const std::vector<CalibrationProbe>& probes)
{
    std::string out = fmt::format(
        "schema: {}\nsystem: '{}'\nblocks: {}\ncredit_wait: {:.2f}  # packets\nerror: {:.4f}  # root mean square of "
        "the probes\nprobes:\n",
        calibration_schema, system, digest, credit_wait, error_of(probes));
    for (const CalibrationProbe& probe : probes)
        out += fmt::format("- {{collective: {}, algorithm: {}, bytes: {}, line_ps: {}, flow_ps: {}}}\n",
            probe.collective, probe.algorithm, probe.bytes, probe.line_ps, probe.flow_ps);
    return out;
}

}  // namespace weft
