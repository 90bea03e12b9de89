#include "rtl/dut/registered_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "base/text_file.h"
#include "infragraph/fields.h"
#include "rtl/dut/dut_block.h"
#include "rtl/dut/port_map_reader.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// As a YAML scalar, whatever is in it.
std::string scalar(const std::string& text)
{
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

RegisteredBlock read(const std::string& file)
{
    const YamlTree tree(file, read_text_file(file, std::size_t{1} << 20U));
    Findings findings(file, false);
    Fields fields(tree, tree.root(), "registered block", findings);
    RegisteredBlock out;
    out.at = file;
    out.name = fields.text("name", Fields::Need::required).value_or("");
    out.text = fields.text("text", Fields::Need::required).value_or("");
    out.map = fields.text("map", Fields::Need::required).value_or("");
    const std::string role = fields.text("role").value_or(name_of(BlockRole::switch_));
    out.role = role == name_of(BlockRole::link) ? BlockRole::link : BlockRole::switch_;
    if (role != name_of(out.role))
        findings.refuse(fields.line(), "the role " + weft::in_quotes(role), "switch or link");
    for (const YamlTree::Id id : fields.list("files", Fields::Need::required))
        out.files.emplace_back(tree.text_or_empty(id));
    fields.finish();
    findings.throw_if_failed();
    return out;
}

}  // namespace

std::string registered_folder()
{
    const char* const own = std::getenv("WEFT_RTL_MODELS");
    return own != nullptr && *own != '\0' ? own : ".weft/rtl";
}

std::vector<RegisteredBlock> registered_blocks()
{
    std::vector<RegisteredBlock> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(registered_folder(), error))
        if (entry.path().extension() == ".yaml") out.push_back(read(entry.path().string()));
    std::sort(out.begin(), out.end(),
        [](const RegisteredBlock& a, const RegisteredBlock& b) { return a.name < b.name; });
    return out;
}

RegisteredBlock register_block(const std::vector<std::string>& files, const std::string& map_file)
{
    const PortMap map = read_port_map(map_file);
    DutShape shape;
    shape.ports = map.ports;
    shape.channels = map.vcs;
    shape.clock = 1000;
    dut_library(map, files, shape);
    RegisteredBlock out;
    out.name = map.name;
    out.text = map.text;
    out.role = map.role;
    out.map = fs::absolute(map_file).lexically_normal().string();
    std::string text = "name: " + scalar(out.name) + "\ntext: " + scalar(out.text) + "\nrole: " + name_of(out.role) +
        "\nmap: " + scalar(out.map) + "\nfiles:\n";
    for (const std::string& file : files) {
        out.files.push_back(fs::absolute(file).lexically_normal().string());
        text += "- " + scalar(out.files.back()) + "\n";
    }
    std::error_code error;
    fs::create_directories(registered_folder(), error);
    out.at = (fs::path(registered_folder()) / (out.name + ".yaml")).string();
    write_text_file(out.at, text);
    return out;
}

void remove_block(const std::string& name)
{
    std::vector<std::string> names;
    for (const RegisteredBlock& block : registered_blocks()) {
        if (block.name == name) {
            fs::remove(block.at);
            return;
        }
        names.push_back(block.name);
    }
    const std::string nearest = nearest_name(name, names);
    throw InputError("", 0, "no block '" + name + "' is registered in " + registered_folder(),
        "a name of 'weft rtl list'" + (nearest.empty() ? std::string() : " (did you mean '" + nearest + "'?)"));
}

}  // namespace weft
