#include "platform/commands/texts/models_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "platform/console/messages.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// A kind of model and whose blocks it is made of, in the order of the page.
struct KindPage {
    const char* kind;
    BlockOwner owner;
};
constexpr KindPage kind_pages[] = {{"gpu", BlockOwner::endpoint}, {"slice", BlockOwner::endpoint},
    {"memory", BlockOwner::endpoint}, {"switch", BlockOwner::forwarder}, {"link", BlockOwner::link},
    {"", BlockOwner::system}};

// A part of a GPU has parameters of its own only; those of all models of the part are the GPU's.
std::vector<Block> blocks_of(const BlockTable& blocks, const KindPage& page)
{
    std::vector<Block> out;
    for (const Block block : blocks.of(page.owner)) {
        const std::string& kind = blocks[block].kind;
        if (is_part(page.kind) ? kind == page.kind : !is_part(kind)) out.push_back(block);
    }
    return out;
}

std::vector<const ModelDeclaration*> models_of(const ModelRegistry& registry, const std::string& kind)
{
    std::vector<const ModelDeclaration*> out;
    for (const ModelRegistry::Entry& entry : registry.entries())
        if (entry.kind == kind) out.push_back(entry.declaration);
    return out;
}

// Modules of a declaration, with that of the model itself where it is a module.
std::vector<ModelDeclaration::Module> modules_of(const std::string& kind, const ModelDeclaration& model)
{
    std::vector<ModelDeclaration::Module> out = model.modules();
    const std::string name = kind == "link" ? "NODE~NODE" : is_part(kind) ? "NODE." : "NODE";
    if (model.statistics())
        out.insert(out.begin(),
            {kind_in_results(kind), name + (is_part(kind) ? kind_in_results(kind) : ""), *model.statistics(), {}});
    return out;
}

// Statistics that several models write alike are listed once.
struct StatisticPage {
    std::string title;  // "NODE.l2 of gpu"
    StatisticTable statistics;
    std::vector<std::string> models;
};

bool same(const StatisticTable& a, const StatisticTable& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StatisticInfo& x, const StatisticInfo& y) {
        return x.name == y.name && x.unit == y.unit && x.text == y.text;
    });
}

std::vector<StatisticPage> statistic_pages(const ModelRegistry& registry, const std::string& kind)
{
    std::vector<StatisticPage> out;
    for (const ModelDeclaration* model : models_of(registry, kind))
        for (const ModelDeclaration::Module& module : modules_of(kind, *model)) {
            const std::vector<std::string> models =
                module.models.empty() ? std::vector<std::string>{model->name()} : module.models;
            const auto known = std::find_if(out.begin(), out.end(), [&](const StatisticPage& page) {
                return page.title == module.name && same(page.statistics, module.statistics);
            });
            if (known == out.end())
                out.push_back({module.name, module.statistics, models});
            else
                known->models.insert(known->models.end(), models.begin(), models.end());
        }
    return out;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string block_title(const BlockInfo& info)
{
    return info.title.text + (info.models.empty() ? "" : ", of model " + joined_names(info.models));
}

std::string block_text(const BlockInfo& info)
{
    std::string out = fmt::format("\n  {}: {}\n", info.name(), block_title(info));
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const ParameterInfo& parameter = *info.parameters[i];
        const std::string head = fmt::format("    {:<30} {:<7} {:<14} ", info.path_of(i),
            or_dash(name_of(parameter.unit)), format_value(parameter, info.defaults[i]));
        out += head + describe_range(parameter) + "\n";
        out += "      " + wrapped(parameter.text, 6, 6) + "\n";
        if (!parameter.source.empty()) out += "      " + wrapped("default: " + parameter.source, 6, 6) + "\n";
    }
    return out;
}

std::string statistics_text(const StatisticPage& page)
{
    std::string out = fmt::format("\n  statistics of {} of model {}\n", page.title, joined_names(page.models));
    for (const StatisticInfo& info : page.statistics) {
        const std::string head = fmt::format("    {:<30} {:<12} ", info.name, or_dash(info.unit));
        out += head +
            wrapped(info.text + (info.when.empty() ? "" : " (if " + info.when + ")"), head.size(), head.size()) + "\n";
    }
    return out;
}

Json value_json(const ParameterInfo& info, std::uint64_t value)
{
    if (info.unit == Unit::choice) return format_value(info, value);
    if (info.unit == Unit::flag) return value != 0;
    if (info.unit == Unit::real) return parameter_detail::from_base<double>(value);
    if (info.unit == Unit::ratio) return static_cast<double>(value) / 1e18;
    return value;
}

Json block_json(const BlockInfo& info, const std::string& kind)
{
    Json out{{"name", info.name()}, {"kind", kind}, {"text", info.title.text}, {"models", info.models},
        {"parameters", Json::array()}};
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const ParameterInfo& parameter = *info.parameters[i];
        Json entry{{"path", info.path_of(i)}, {"type", kind_name(parameter.unit)}, {"unit", name_of(parameter.unit)},
            {"default", value_json(parameter, info.defaults[i])}};
        if (parameter.unit == Unit::choice) {
            entry["choices"] = parameter.choices;
        } else {
            entry["low"] = value_json(parameter, parameter.low);
            entry["high"] = value_json(parameter, parameter.high);
        }
        entry["text"] = parameter.text;
        entry["source"] = parameter.source;
        entry["model"] = parameter.model;
        out["parameters"].push_back(std::move(entry));
    }
    return out;
}

Json model_json(const std::string& kind, const ModelDeclaration& model)
{
    Json out{{"kind", kind}, {"name", model.name()}, {"text", model.text()}, {"ports", model.ports()},
        {"parameters", model.parameters() == nullptr ? Json() : Json(model.parameters()->name())},
        {"modules", Json::array()}};
    for (const ModelDeclaration::Module& module : modules_of(kind, model)) {
        Json statistics = Json::array();
        for (const StatisticInfo& info : module.statistics)
            statistics.push_back({{"name", info.name}, {"unit", info.unit}, {"text", info.text}, {"when", info.when}});
        out["modules"].push_back({{"kind", module.kind}, {"name", module.name}, {"models", module.models},
            {"statistics", std::move(statistics)}});
    }
    return out;
}

std::string cell(std::string text)
{
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
    return text;
}

std::string block_rows(const BlockInfo& info)
{
    std::string out =
        fmt::format("\n### `{}`: {}\n\n| parameter | unit | default | range | meaning |\n|---|---|---|---|---|\n",
            info.name(), block_title(info));
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const ParameterInfo& parameter = *info.parameters[i];
        out += fmt::format("| `{}` | {} | {} | {} | {} |\n", info.path_of(i), name_of(parameter.unit),
            format_value(parameter, info.defaults[i]), describe_range(parameter),
            cell(parameter.text + (parameter.source.empty() ? "" : "; default: " + parameter.source)));
    }
    return out;
}

}  // namespace

std::string models_text(const ModelRegistry& registry, const std::string& kind)
{
    const BlockTable& blocks = *registry.blocks();
    std::string out = fmt::format("{:<34} {:<7} {:<14} {}\n", "model or parameter", "unit", "default", "range");
    for (const KindPage& page : kind_pages) {
        if (!kind.empty() && page.kind != kind) continue;
        const bool system = page.owner == BlockOwner::system;
        out += system ? "\nparameters of the system as a whole\n" : fmt::format("\nkind {}\n", page.kind);
        for (const ModelDeclaration* model : models_of(registry, page.kind)) {
            const std::string head = fmt::format("  model {:<15} ", model->name());
            out += head + wrapped(model->text(), head.size(), head.size()) + "\n";
        }
        for (const Block block : blocks_of(blocks, page)) out += block_text(blocks[block]);
        for (const StatisticPage& statistics : statistic_pages(registry, page.kind)) out += statistics_text(statistics);
    }
    return out;
}

std::string models_json(const ModelRegistry& registry, const std::string& kind)
{
    const BlockTable& blocks = *registry.blocks();
    Json out{{"schema", "weft.models/1"}, {"models", Json::array()}, {"blocks", Json::array()}};
    for (const KindPage& page : kind_pages) {
        if (!kind.empty() && page.kind != kind) continue;
        for (const ModelDeclaration* model : models_of(registry, page.kind))
            out["models"].push_back(model_json(page.kind, *model));
        for (const Block block : blocks_of(blocks, page))
            out["blocks"].push_back(block_json(blocks[block], page.owner == BlockOwner::system ? "system" : page.kind));
    }
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string models_markdown(const ModelRegistry& registry)
{
    const BlockTable& blocks = *registry.blocks();
    std::string out =
        "# Models, parameters and statistics\n\nThe program writes this page from the declarations that models "
        "register: "
        "`WEFT_UPDATE_DOCS=1 build/release/tests/commands_test --gtest_filter=ModelsPage.*`. `weft models` prints the "
        "same, with the models of plug-ins and RTL blocks; `weft models --json` writes it for programs. Defaults are "
        "those without a profile; "
        "[profiles](profiles.md) has the figures of parts.\n";
    for (const KindPage& page : kind_pages) {
        const bool system = page.owner == BlockOwner::system;
        out += system ? "\n## The system as a whole\n"
                      : fmt::format("\n## Kind {}\n\n| model | meaning | ports |\n|---|---|---|\n", page.kind);
        for (const ModelDeclaration* model : models_of(registry, page.kind))
            out += fmt::format("| `{}` | {} | {} |\n", model->name(), cell(model->text()), cell(model->ports()));
        for (const Block block : blocks_of(blocks, page)) out += block_rows(blocks[block]);
        for (const StatisticPage& statistics : statistic_pages(registry, page.kind)) {
            out += fmt::format(
                "\n### Statistics of {}, model {}\n\n| name | unit | meaning | written if |\n|---|---|---|---|\n",
                statistics.title, joined_names(statistics.models));
            for (const StatisticInfo& info : statistics.statistics)
                out += fmt::format("| `{}` | {} | {} | {} |\n", info.name, info.unit, cell(info.text), cell(info.when));
        }
    }
    return out;
}

}  // namespace weft
