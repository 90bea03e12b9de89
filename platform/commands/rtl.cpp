#include <algorithm>

#include <fmt/format.h>

#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/assembly/rtl_models.h"
#include "rtl/dut/port_map_reader.h"
#include "rtl/dut/registered_blocks.h"

namespace weft {

namespace {

// Throws InputError for a name that a built-in model has.
void check_name(const std::string& map)
{
    const PortMap block = read_port_map(map);
    const ModelRegistry built_in;
    for (const ModelRegistry::Entry& entry : built_in.entries())
        if (entry.kind == name_of(block.role) && entry.declaration->name() == block.name)
            throw InputError(map, 0, "the name '" + block.name + "' of kind " + entry.kind + " is taken",
                "another name");
}

void add_block(const std::vector<std::string>& files, const std::string& map)
{
    if (files.empty() || map.empty())
        throw usage_error("the block is missing", "weft rtl add FILE.sv... --map MAP.yaml");
    check_name(map);
    const RegisteredBlock block = register_block(files, map);
    const std::string use = block.role == BlockRole::link
        ? fmt::format("--set link.model={0}, of some links --set '*.nvsw.0~*.link.model={0}'", block.name)
        : fmt::format("--model 'GLOB={0}', such as --model '*.nvsw.*={0}'", block.name);
    print(fmt::format("registered {} in {}\nuse it with {}\n", block.name, block.at, use));
}

void list_blocks()
{
    const std::vector<RegisteredBlock> blocks = registered_blocks();
    if (blocks.empty()) print("no block is registered in " + registered_folder() + "\n");
    for (const RegisteredBlock& block : blocks) {
        std::string files;
        for (const std::string& file : block.files) files += " " + file;
        print(fmt::format("{}: {}\n  role  {}\n  map   {}\n  rtl  {}\n", block.name, block.text, name_of(block.role),
            block.map, files));
    }
}

}  // namespace

int rtl_command(const Arguments& arguments)
{
    CommandLine line("rtl",
        "Registers RTL blocks of your own as models of switches and links.\n"
        "'weft rtl add FILE.sv... --map MAP.yaml' verilates a block, checks its port map against its pins and "
        "registers "
        "it. Then --model 'GLOB=NAME' uses it like any other switch, and --set link.model=NAME like any other link. "
        "'weft rtl list' lists the blocks, 'weft rtl remove NAME' removes one. They are kept in .weft/rtl in the "
        "folder where weft runs, or in the folder WEFT_RTL_MODELS.\n");
    std::vector<std::string> words;
    std::string map;
    line.positionals("ACTION", words, "add FILE.sv..., list, or remove NAME");
    line.value("--map", "MAP.yaml", map, "the port map: the role of each pin of the block");
    if (!line.parse(arguments)) return exit_good;

    const std::vector<std::string> actions{"add", "list", "remove"};
    const std::string& action = words.front();
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (std::find(actions.begin(), actions.end(), action) == actions.end())
        throw usage_error("unknown action " + quoted_word(action) + " of 'weft rtl'",
            with_nearest("add, list or remove", action, actions));
    if (action != "add" && !map.empty())
        throw usage_error("'--map' with 'weft rtl " + action + "'", "'weft rtl " + action + "' alone");
    if (action == "add") {
        add_block(rest, map);
    } else if (action == "list") {
        if (!rest.empty())
            throw usage_error("unexpected argument " + quoted_word(rest.front()), "'weft rtl list' alone");
        list_blocks();
    } else {
        if (rest.size() != 1)
            throw usage_error("'weft rtl remove' with " + std::to_string(rest.size()) + " names", "one name");
        remove_block(rest.front());
        print("removed " + rest.front() + " from " + registered_folder() + "\n");
    }
    return exit_good;
}

}  // namespace weft
