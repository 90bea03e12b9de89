#include "platform/configuration/tables/figures.h"

#include <algorithm>

#include "platform/configuration/parameters/old_names.h"

namespace weft {

const std::vector<std::string>& figure_grades()
{
    static const std::vector<std::string> grades{"vendor specification", "measured", "derived", "inferred",
        "calibrated"};
    return grades;
}

std::optional<FigureText> read_figure_text(const YamlSource& source, const YamlField& field)
{
    FigureText figure;
    figure.line = field.line;
    figure.source = source.findings.file() + ":" + std::to_string(field.line);
    if (source.tree.kind(field.value) != YamlTree::Kind::mapping) {
        const auto value = yaml_text(source, field);
        if (!value) return std::nullopt;
        figure.value = *value;
        return figure;
    }
    for (const YamlField& part :
        yaml_fields(source, field.value, "figure " + in_quotes(field.key), {"value", "source", "grade"})) {
        const auto text = yaml_text(source, part);
        if (!text) return std::nullopt;
        if (part.key == "value") figure.value = *text;
        if (part.key == "source") figure.source = *text;
        if (part.key == "grade") {
            const auto& grades = figure_grades();
            if (std::find(grades.begin(), grades.end(), *text) == grades.end())
                source.findings.refuse(part.line, "unknown grade " + in_quotes(*text), joined_names(grades));
            figure.grade = *text;
        }
    }
    if (figure.value.empty()) {
        source.findings.refuse(field.line, "figure " + in_quotes(field.key) + " has no value", "a key 'value'");
        return std::nullopt;
    }
    return figure;
}

std::optional<Figure> read_figure(const YamlSource& source, const YamlField& field, Block block, std::size_t parameter)
{
    const auto text = read_figure_text(source, field);
    if (!text) return std::nullopt;
    ValueProblem problem;
    OldNames old_names;
    const std::string current = old_names.value(info_of(block).path_of(parameter), text->value, "", 0);
    for (const std::string& notice : old_names.notices()) source.findings.note(text->line, notice);
    const auto value = checked_value(info_of(block), parameter, current, problem);
    if (!value) {
        source.findings.refuse(text->line, problem.what, problem.expected);
        return std::nullopt;
    }
    return Figure{*value, text->source, text->grade, {}, text->line};
}

Figures read_figures(const YamlSource& source, const YamlField& field, Block block)
{
    Figures figures;
    const BlockInfo& info = info_of(block);
    std::vector<std::string> known = info.parameter_names();
    for (const OldName& each : all_old_names())
        if (each.kind == OldName::Kind::parameter && each.owner == info.name()) known.push_back(each.old);
    for (const YamlField& entry : yaml_fields(source, field.value, in_quotes(field.key), known)) {
        OldNames old_names;
        const std::size_t parameter = *info.find(old_names.parameter(info.name(), entry.key, "", 0));
        for (const std::string& notice : old_names.notices()) source.findings.note(entry.line, notice);
        if (const auto figure = read_figure(source, entry, block, parameter)) figures[parameter] = *figure;
    }
    return figures;
}

}  // namespace weft
