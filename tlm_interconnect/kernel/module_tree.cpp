#include "tlm_interconnect/kernel/module_tree.h"

#include <algorithm>
#include <cctype>

namespace weft {

namespace {

class Scope : public sc_core::sc_module {
public:
    explicit Scope(sc_core::sc_module_name name) : sc_module(name) {}
    const char* kind() const override { return "weft::ModuleTree::Scope"; }
};

}  // namespace

ModuleTree::Within::Within(sc_core::sc_module* parent) : entered_(parent != nullptr)
{
    if (entered_) sc_core::sc_get_curr_simcontext()->hierarchy_push(parent);
}

ModuleTree::Within::~Within()
{
    if (entered_) sc_core::sc_get_curr_simcontext()->hierarchy_pop();
}

sc_core::sc_module* ModuleTree::scope(const std::string& path)
{
    if (auto* there = dynamic_cast<sc_core::sc_module*>(sc_core::sc_find_object(path.c_str()))) return there;
    return at(path, [this](const std::string& name) {
        scopes_.push_back(std::make_unique<Scope>(name.c_str()));
        return scopes_.back().get();
    });
}

std::string ModuleTree::free_name(std::string path)
{
    while (sc_core::sc_find_object(path.c_str()) != nullptr) path += '_';
    return path;
}

std::string ModuleTree::without_spaces(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }, '_');
    return text;
}

std::string ModuleTree::part(std::string text)
{
    std::replace(text.begin(), text.end(), '.', '_');
    return without_spaces(std::move(text));
}

}  // namespace weft
