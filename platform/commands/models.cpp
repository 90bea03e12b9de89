#include <map>

#include <fmt/format.h>

#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/commands/system_options.h"
#include "platform/configuration/blocks.h"
#include "platform/configuration/profile.h"

namespace weft {

namespace {

struct BlockTitle {
    Block block;
    const char* text;
};

// In the order of the page; a kind of model is made of the blocks below it.
const std::vector<std::pair<std::string, std::vector<BlockTitle>>>& pages()
{
    static const std::vector<std::pair<std::string, std::vector<BlockTitle>>> all{
        {"gpu",
            {{Block::gpu, "compute units, on-die paths and fabric ports"}, {Block::network, "on-die network"}, {Block::l1, "first-level cache of a unit"},
                {Block::l2, "second-level cache"}, {Block::memory_side, "cache in front of memory"},
                {Block::hbm, "memory"}, {Block::copy, "copy engines"},
                {Block::bulk, "bulk copies that units issue"}}},
        {"switch", {{Block::switch_, "nodes that pass lines on"}}},
        {"link", {{Block::link, "edges"}}},
        {"", {{Block::engine, "how collectives run"}, {Block::routing, "how routes are chosen"}}},
    };
    return all;
}

std::string block_text(const BlockTitle& title)
{
    const BlockInfo& info = info_of(title.block);
    std::string out = fmt::format("\n  {}: {}\n", info.name, title.text);
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const ParameterInfo& parameter = *info.parameters[i];
        const std::string unit = name_of(parameter.unit);
        const std::string head = fmt::format("    {:<30} {:<7} {:<14} ", info.name + "." + parameter.name,
            unit.empty() ? "-" : unit, format_value(parameter, info.defaults[i]));
        out += head + describe_range(parameter) + "\n";
        out += "      " + wrapped(parameter.text, 6, 6) + "\n";
    }
    return out;
}

std::string profile_list()
{
    std::string out = "\nprofiles (--profile NAME): figures of real parts in place of the defaults\n";
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
        "Lists what can be instantiated: kind and name of every model (--model GLOB=NAME, of links --set link.model=NAME), its parameters "
        "(--set "
        "BLOCK.PARAMETER=VALUE) with unit, default and range, and the device profiles (--profile NAME).\n");
    std::string kind;
    line.positional("KIND", kind, "only models of this kind", false);
    SystemOptions options;
    options.add_plugins(line);
    if (!line.parse(arguments)) return exit_good;

    const ModelRegistry registry = options.registry();
    std::vector<std::string> kinds;
    for (const auto& entry : registry.names_by_kind()) kinds.push_back(entry.first);
    if (!kind.empty()) check_choice("KIND", kind, kinds);

    std::string out =
        fmt::format("{:<34} {:<7} {:<14} {}\n", "model or parameter", "unit", "default", "range");
    for (const auto& [page, blocks] : pages()) {
        if (!kind.empty() && page != kind) continue;
        out +=
            page.empty() ? "\nparameters of the system as a whole\n" : "\nkind " + page + "\n";
        for (const ModelRegistry::Entry& entry : registry.entries()) {
            if (entry.kind != page) continue;
            const std::string head = fmt::format("  model {:<15} ", entry.name);
            out += head + wrapped(entry.text, head.size(), head.size()) + "\n";
        }
        for (const BlockTitle& block : blocks) out += block_text(block);
    }
    if (kind.empty()) out += profile_list();
    print(out);
    return exit_good;
}

}  // namespace weft
