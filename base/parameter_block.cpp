#include "base/parameter_block.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace weft {

std::optional<std::size_t> BlockInfo::find(std::string_view parameter) const
{
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i]->name == parameter) return i;
    return std::nullopt;
}

std::vector<std::string> BlockInfo::parameter_names() const
{
    std::vector<std::string> names;
    for (const ParameterInfo* parameter : parameters) names.push_back(parameter->name);
    return names;
}

std::string BlockInfo::path_of(std::size_t parameter) const { return title.name + "." + parameters[parameter]->name; }

bool BlockInfo::of_model(const std::string& model) const
{
    return models.empty() || std::find(models.begin(), models.end(), model) != models.end();
}

namespace {

// Paths are split at dots and matched by globs.
bool is_word(const std::string& name)
{
    return !name.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
}

}  // namespace

std::vector<std::string> declaration_problems(const BlockInfo& info)
{
    std::vector<std::string> out;
    if (!is_word(info.name()))
        out.push_back("the name of block '" + info.name() + "' is not a word of letters, digits and _");
    std::set<std::string> names;
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const ParameterInfo& parameter = *info.parameters[i];
        const std::string path = info.path_of(i);
        if (!is_word(parameter.name))
            out.push_back("the name of parameter '" + path + "' is not a word of letters, digits and _");
        if (!names.insert(parameter.name).second) out.push_back("parameter " + path + " is declared twice");
        if (parameter.text.empty()) out.push_back("parameter " + path + " has no text");
        if (parameter.low > parameter.high) out.push_back("parameter " + path + " has a range that holds nothing");
        if (parameter.unit == Unit::choice && (parameter.low != 0 || parameter.high + 1 != parameter.choices.size()))
            out.push_back("parameter " + path + " has not one name for each choice");
        else if (info.defaults[i] < parameter.low || info.defaults[i] > parameter.high)
            out.push_back("the default of parameter " + path + " is out of its range");
    }
    return out;
}

struct ParameterSet::Contents {
    std::vector<Held> blocks;
};

const void* ParameterSet::find(std::type_index type) const
{
    if (contents_ != nullptr)
        for (const Held& held : contents_->blocks)
            if (held.info->type == type) return held.spec.get();
    throw std::logic_error(std::string("this module has no parameters of type ") + type.name());
}

std::uint64_t ParameterSet::value(std::string_view path) const
{
    const std::size_t dot = path.find('.');
    if (contents_ != nullptr && dot != std::string_view::npos)
        for (const Held& held : contents_->blocks)
            if (held.info->name() == path.substr(0, dot))
                if (const auto parameter = held.info->find(path.substr(dot + 1)))
                    return held.info->read(held.spec.get(), *parameter);
    throw std::logic_error("this module has no parameter " + std::string(path));
}

void ParameterSet::put(std::shared_ptr<const BlockInfo> info, std::shared_ptr<const void> spec)
{
    auto contents = contents_ == nullptr ? std::make_shared<Contents>() : std::make_shared<Contents>(*contents_);
    contents->blocks.push_back({std::move(info), std::move(spec)});
    contents_ = std::move(contents);
}

void ParameterSet::replace(std::type_index type, const std::shared_ptr<const void>& spec)
{
    find(type);
    auto contents = std::make_shared<Contents>(*contents_);
    for (Held& held : contents->blocks)
        if (held.info->type == type) held.spec = spec;
    contents_ = std::move(contents);
}

}  // namespace weft
