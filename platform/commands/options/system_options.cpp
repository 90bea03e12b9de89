#include "platform/commands/options/system_options.h"

#include "base/text_file.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/plugin_loader.h"
#include "platform/assembly/rtl_models.h"
#include "platform/commands/options/known_names.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/console/messages.h"

namespace weft {

void SystemOptions::add_file(CommandLine& line, const std::string& label)
{
    label_ = label;
    line.positional(label, file_, "a system file or an InfraGraph document: YAML or JSON, gzip or not");
}

void SystemOptions::add_file_or_infra(CommandLine& line, const std::string& label)
{
    label_ = label;
    line.positional(label, file_, "a system file or an InfraGraph document: YAML or JSON, gzip or not", false);
    line.section("system");
    line.value("--infra", "FILE", infra_, "an InfraGraph document instead of " + label);
}

void SystemOptions::add_infra(CommandLine& line, const std::string& text)
{
    label_ = "--infra";
    line.section("system");
    line.value("--infra", "FILE", file_, "a system file or an InfraGraph document: " + text);
}

void SystemOptions::add_reading(CommandLine& line)
{
    line.flag("--lenient", lenient_,
        "accept all documents that the InfraGraph reference service accepts, with a notice for each doubtful place");
    line.value("--annotate", "FILE", annotation_, "an InfraGraph annotation request to apply to the document");
}

void SystemOptions::add_strict(CommandLine& line)
{
    line.flag("--strict", strict_,
        "refuse a system that needs assumptions: a protocol, bandwidth, timing or profile that neither the document "
        "nor the system file states");
}

void SystemOptions::report_assumptions(const ResolvedSystem& system) const
{
    const std::vector<Assumption> assumptions =
        assumptions_among(system.assumptions, plan_fabric(system, members_of(system)).used);
    if (strict_) refuse_assumptions(assumptions);
    print_notices(assumption_lines(assumptions));
}

void SystemOptions::add_plugins(CommandLine& line)
{
    line.values("--plugin", "FILE", plugins_, "a shared library with further models for --model, repeatable");
}

void SystemOptions::add_parameters(CommandLine& line)
{
    line.values("--set", "PATH=VALUE", sets_,
        "set a parameter, repeatable, the last one wins: l2.size=40MiB (everywhere), dgx.0.xpu.3.l2.size=40MiB (one "
        "node), 'dgx.*.nvsw.*.switch.latency=300ns' (a pattern), links.xpu_fabric.bandwidth=50GB/s (a link)");
    line.values("--model", "GLOB=NAME", models_,
        "use this model of 'weft models' for the nodes that match GLOB, repeatable; GLOB=replay:FILE gives replay GPUs "
        "their traffic");
    add_plugins(line);
    line.value("--profile", "NAME", profile_, "device profile of every accelerator: a name of 'weft models' or a file");
    line.value("--seed", "N", seed_, "seed of all random streams; default the seed of the system file, else 1");
}

SystemDescription SystemOptions::description() const
{
    if (file_.empty() && infra_.empty()) throw usage_error(label_ + " is missing", label_ + " or --infra FILE");
    if (!file_.empty() && !infra_.empty())
        throw usage_error("both " + label_ + " and --infra are given", "one of them");
    constexpr std::size_t limit = std::size_t{1} << 28;
    const std::string& path = file_.empty() ? infra_ : file_;
    const std::string text = read_text_file(path, limit);
    const bool is_system = is_system_text(path, text);
    if (is_system && file_.empty())
        throw InputError(path, 0, "is a system file", "an InfraGraph document, or no --infra before it");
    SystemDescription description;
    if (is_system)
        description = read_system_text(path, text);
    else
        description.infrastructure = path;
    apply(description);
    return description;
}

void SystemOptions::refuse_streams(const char* command) const
{
    for (const std::string& path : {file_, infra_, annotation_})
        if (!path.empty() && is_stream(path))
            throw InputError(path, 0, "can be read only once",
                std::string("a regular file: every run of 'weft ") + command + "' reads it");
}

bool SystemOptions::reads_stream() const { return is_stream(file_) || is_stream(infra_) || is_stream(annotation_); }

void SystemOptions::refuse_without_system() const
{
    if (names_system()) return;
    const std::pair<const char*, bool> options[] = {{"--lenient", lenient_}, {"--annotate", !annotation_.empty()},
        {"--strict", strict_}, {"--set", !sets_.empty()}, {"--model", !models_.empty()},
        {"--plugin", !plugins_.empty()}, {"--profile", !profile_.empty()}, {"--seed", !seed_.empty()}};
    for (const auto& [option, given] : options)
        if (given) throw usage_error(std::string("option '") + option + "' needs a system", "--infra FILE with it");
}

bool SystemOptions::changes_system() const
{
    return !sets_.empty() || !models_.empty() || !profile_.empty() || !seed_.empty();
}

SystemDescription SystemOptions::description_of(const std::string& infrastructure) const
{
    SystemDescription description;
    description.infrastructure = infrastructure;
    apply(description);
    return description;
}

void SystemOptions::apply(SystemDescription& description) const
{
    description.lenient = description.lenient || lenient_;
    for (const std::string& set : sets_) description.sets.push_back(parse_set(set));
    for (const std::string& model : models_) description.bindings.push_back(parse_model_option(model));
    if (!profile_.empty()) {
        description.profile = profile_;
        description.profile_file = "--profile";
        description.profile_line = 0;
    }
    if (!seed_.empty()) description.seed = number_option("--seed", seed_, 0, UINT64_MAX);
}

LoadedGraph SystemOptions::load(const SystemDescription& description) const
{
    LoadOptions options;
    options.lenient = description.lenient;
    options.annotation_path = annotation_;
    return load_infrastructure_of(description, options);
}

ModelRegistry SystemOptions::registry() const
{
    ModelRegistry registry;
    add_registered_blocks(registry);
    for (const std::string& file : plugins_) load_plugin(file, registry);
    return registry;
}

ResolvedSystem resolve_loaded(const SystemDescription& description, LoadedGraph loaded, const ModelRegistry& registry)
{
    ResolvedSystem system =
        resolve(description, std::make_shared<const Graph>(std::move(loaded.graph)), known_names(registry));
    std::vector<std::string> notices;
    for (const Notice& notice : loaded.notices)
        notices.push_back(Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    system.notices.insert(system.notices.begin(), notices.begin(), notices.end());
    print_notices(system.old_names);
    return system;
}

}  // namespace weft
