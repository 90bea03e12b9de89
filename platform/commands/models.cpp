#include <map>

#include <fmt/format.h>

#include "platform/commands/texts/models_text.h"
#include "platform/commands/options/system_options.h"
#include "platform/configuration/tables/profile.h"
#include "platform/console/command_line.h"
#include "platform/console/messages.h"

namespace weft {

namespace {

std::string profile_list()
{
    std::string out = "\nprofiles (--profile NAME): figures of real parts instead of the defaults\n";
    const ProfileStore store;
    std::map<std::string, std::string> descriptions;
    for (const Profile& profile : store.profiles()) descriptions[profile.name] = profile.description;
    for (const auto& [name, description] : descriptions) {
        const std::string head = fmt::format("  {:<10} ", name);
        out += head + wrapped(description, head.size(), head.size()) + "\n";
    }
    return out;
}

}  // namespace

int models_command(const Arguments& arguments)
{
    CommandLine line("models",
        "Lists all models with kind and name (--model GLOB=NAME; --set link.model=NAME for links, l2.model for slices "
        "of an L2, hbm.model for memories), their parameters (--set BLOCK.PARAMETER=VALUE) with unit, default and "
        "range, the statistics that they write into results, and "
        "the device profiles (--profile NAME).\n");
    std::string kind;
    line.positional("KIND", kind, "list only models of this kind", false);
    bool json = false;
    line.flag("--json", json, "write the list as JSON, in base units: bytes, ps, B/s, Hz, FLOP/s");
    SystemOptions options;
    options.add_plugins(line);
    if (!line.parse(arguments)) return exit_good;

    const ModelRegistry registry = options.registry();
    std::vector<std::string> kinds;
    for (const auto& entry : registry.names_by_kind()) kinds.push_back(entry.first);
    if (!kind.empty()) check_choice("KIND", kind, kinds);

    print(json ? models_json(registry, kind) : models_text(registry, kind) + (kind.empty() ? profile_list() : ""));
    return exit_good;
}

}  // namespace weft
