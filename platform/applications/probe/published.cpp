#include "platform/applications/probe/published.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "platform/applications/probe/probe_rows.h"
#include "platform/configuration/tables/embedded_files.h"
#include "platform/configuration/tables/figures.h"

namespace weft {

namespace {

double figure_in(const YamlSource& source, const YamlField& field, const ProbeRow& row)
{
    const std::string text = yaml_text(source, field).value_or("");
    const bool is_time = std::string(row.unit) == "ns";
    const auto value = is_time ? parse_time_ps(text) : parse_rate(text);
    if (!value)
        source.findings.refuse(field.line, in_quotes(text) + " is not a figure of " + row.name,
            is_time ? "a time such as 142 ns" : "a rate such as 9.8 TB/s");
    return static_cast<double>(value.value_or(0)) * (is_time ? 1e-3 : 1e-9);
}

PublishedFigure read_published(const YamlSource& source, const YamlField& entry, const ProbeRow& row)
{
    PublishedFigure figure;
    for (const YamlField& part : yaml_fields(source, entry.value, "figure " + in_quotes(entry.key),
             {"value", "low", "high", "source", "grade"})) {
        if (part.key == "value") figure.low = figure.high = figure_in(source, part, row);
        if (part.key == "low") figure.low = figure_in(source, part, row);
        if (part.key == "high") figure.high = figure_in(source, part, row);
        if (part.key == "source") figure.source = yaml_text(source, part).value_or("");
        if (part.key == "grade") figure.grade = yaml_text(source, part).value_or("");
    }
    const auto& grades = figure_grades();
    if (std::find(grades.begin(), grades.end(), figure.grade) == grades.end())
        source.findings.refuse(entry.line, "figure " + in_quotes(entry.key) + " has an unknown grade",
            expected_name("a grade", figure.grade, grades));
    if (figure.source.empty())
        source.findings.refuse(entry.line, "figure " + in_quotes(entry.key) + " has no source", "a key 'source'");
    if (figure.low <= 0 || figure.high < figure.low)
        source.findings.refuse(entry.line, "figure " + in_quotes(entry.key) + " has no value",
            "'value', or 'low' and a higher 'high'");
    return figure;
}

}  // namespace

std::string PublishedFigure::text() const
{
    const auto number = [](double value) {
        return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
    };
    return is_range() ? number(low) + " to " + number(high) : number(low);
}

const PublishedTable& PublishedTable::built_in()
{
    static const PublishedTable table("published.yaml", embedded_file("published.yaml"));
    return table;
}

PublishedTable::PublishedTable(const std::string& file, const YamlTree& tree)
{
    Findings findings(file, false);
    const YamlSource source{tree, findings};
    std::vector<std::string> known{"switches"};
    for (const ProbeRow& row : probe_rows()) known.emplace_back(row.name);
    for (const YamlField& top : yaml_fields(source, tree.root(), "the table", {"published"})) {
        for (const YamlField& entry : yaml_fields(source, top.value, "'published'", {})) {
            PublishedPart part;
            part.profile = entry.key;
            for (const YamlField& field : yaml_fields(source, entry.value, "part " + in_quotes(entry.key), known)) {
                if (field.key == "switches") {
                    part.switches = static_cast<unsigned>(yaml_number(source, field).value_or(0));
                } else if (const ProbeRow* row = find_probe_row(field.key)) {
                    part.figures[field.key] = read_published(source, field, *row);
                }
            }
            parts_.push_back(std::move(part));
        }
    }
    findings.throw_if_failed();
}

const PublishedPart* PublishedTable::find(const std::string& profile) const
{
    for (const PublishedPart& part : parts_)
        if (part.profile == profile) return &part;
    return nullptr;
}

std::string node_document(const std::string& profile, const std::string& family, const PublishedPart* part)
{
    const unsigned switches = part != nullptr ? part->switches : family == "xgmi" ? 0 : 1;
    std::string out = "name: eight_of_" + profile +
        "\ndevices:\n- name: board\n  components:\n"
        "  - {name: xpu, choice: xpu, count: 8, description: accelerator}\n";
    if (switches > 0)
        out += fmt::format("  - {{name: sw, choice: switch, count: {}, description: scale-up switch}}\n", switches);
    out += "  links:\n  - {name: xpu_fabric, description: xpu fabric}\n  edges:\n  - {ep1: {component: xpu}, ep2: "
           "{component: ";
    out += switches > 0 ? "sw" : "xpu";
    return out + "}, scheme: many2many, link: xpu_fabric}\ninstances:\n- {name: node, device: board, count: 1}\n";
}

}  // namespace weft
