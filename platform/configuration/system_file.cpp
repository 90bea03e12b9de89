#include "platform/configuration/system_file.h"

#include "base/diagnostic.h"
#include "base/text_file.h"

namespace weft {

namespace {

// Splits "LEFT=RIGHT" at the first '='.
std::pair<std::string, std::string> split_option(const std::string& option, const char* name, const char* form)
{
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
        throw InputError("", 0, std::string(name) + " " + in_quotes(option) + " is incomplete", form);
    return {option.substr(0, equals), option.substr(equals + 1)};
}

}  // namespace

std::string NodeSelector::text() const
{
    std::string out = glob;
    const auto add = [&out](const char* key, const std::string& value) {
        if (!value.empty()) out += (out.empty() ? "" : ", ") + (key + (": " + value));
    };
    add("component", component);
    add("device", device);
    add("type", type);
    return out;
}

SystemDescription read_system_file(const std::string& path)
{
    constexpr std::size_t limit = std::size_t{1} << 26;
    return read_system_text(path, read_text_file(path, limit));
}

Assignment parse_set(const std::string& option)
{
    auto [path, value] = split_option(option, "--set", "PATH=VALUE, such as l2.size=40MiB");
    return {std::move(path), std::move(value), "--set", 0};
}

Binding parse_model_option(const std::string& option)
{
    auto [glob, model] = split_option(option, "--model", "GLOB=NAME, such as '*.nvsw.*=switch'");
    Binding binding;
    binding.nodes.glob = std::move(glob);
    constexpr std::string_view replay = "replay:";
    if (model.compare(0, replay.size(), replay) == 0) {
        binding.traffic = model.substr(replay.size());
        if (binding.traffic.empty())
            throw InputError("", 0, "--model " + in_quotes(option) + " names no file",
                "GLOB=replay:FILE, or GLOB=replay");
        model = "replay";
    }
    binding.model = std::move(model);
    binding.file = "--model";
    return binding;
}

}  // namespace weft
