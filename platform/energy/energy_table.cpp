#include "platform/energy/energy_table.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/text_file.h"
#include "infragraph/fields.h"

namespace weft {

namespace {

constexpr std::array<const char*, energy_event_count> energy_sections{"links", "switches", "hbm", "l2", "memory_side",
    "operation", "idle"};

// How far to trust a figure: those of the program's table, and those of figures in profiles.
const std::vector<std::string>& energy_grades()
{
    static const std::vector<std::string> grades{"read in the source", "quoted", "common knowledge", "unverified",
        "vendor specification", "measured", "derived", "calibrated", "inferred"};
    return grades;
}

std::string energy_grade(const YamlTree& tree, Fields& figure, Findings& findings)
{
    const auto id = figure.get("grade");
    if (!id) return "of the user";
    std::string out(tree.text_or_empty(*id));
    const std::vector<std::string>& grades = energy_grades();
    if (std::find(grades.begin(), grades.end(), out) == grades.end()) {
        std::string known;
        for (const std::string& grade : grades) known += (known.empty() ? "" : ", ") + grade;
        findings.refuse(tree.line(*id), "unknown grade: " + tree.describe(*id), known);
    }
    return out;
}

std::optional<double> energy_number(const YamlTree& tree, Fields& fields, const char* key, Findings& findings)
{
    const auto id = fields.get(key, Fields::Need::required);
    if (!id) return std::nullopt;
    std::string_view text = tree.text_or_empty(*id);
    // A sign that YAML has and from_chars has not.
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr double most = 1e6;
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
        !(value >= 0 && value <= most)) {
        findings.refuse(tree.line(*id), std::string("'") + key + "' is " + tree.describe(*id),
            "a number from 0 to 1000000");
        return std::nullopt;
    }
    return value == 0 ? 0 : value;  // no -0
}

}  // namespace

const char* section_of(EnergyEvent event) { return energy_sections[static_cast<std::size_t>(event)]; }

EnergyTable::EnergyTable()
{
    read("energy.yaml", energy_table_text());
    rows_.clear();
}

void EnergyTable::read(const std::string& path) { read(path, read_text_file(path, std::size_t{1} << 24)); }

void EnergyTable::read(const std::string& file, const std::string& text)
{
    const YamlTree tree(file, text);
    Findings findings(file, false);
    Fields sections(tree, tree.root(), "energy table", findings);
    for (std::size_t event = 0; event < energy_event_count; ++event) {
        const auto section = sections.get(energy_sections[event]);
        if (!section) continue;
        Fields entries(tree, *section, energy_sections[event], findings);
        for (std::uint32_t i = 0; i < entries.size(); ++i) {
            const std::string name(entries.key(i));
            const Row row{static_cast<EnergyEvent>(event), name,
                file + ":" + std::to_string(tree.line(entries.value(i)))};
            if (tree.text_or_empty(entries.value(i)) == "none") {
                figures_[event].erase(name);
                rows_.push_back(row);
                continue;
            }
            Fields figure(tree, entries.value(i), "figure", findings);
            const auto low = energy_number(tree, figure, "low", findings);
            const auto high = energy_number(tree, figure, "high", findings);
            EnergyFigure out;
            out.source = figure.text("source").value_or(row.place);
            out.grade = energy_grade(tree, figure, findings);
            figure.finish();
            if (!low || !high) continue;
            if (*low > *high)
                findings.refuse(tree.line(entries.value(i)), "'low' is above 'high'", "low: LEAST, high: MOST");
            out.low = *low;
            out.high = *high;
            figures_[event][name] = out;
            rows_.push_back(row);
        }
    }
    sections.finish();
    findings.throw_if_failed();
}

const EnergyFigure* EnergyTable::find(EnergyEvent event, const std::string& name) const
{
    const auto& figures = figures_[static_cast<std::size_t>(event)];
    const auto found = figures.find(name);
    return found == figures.end() ? nullptr : &found->second;
}

}  // namespace weft
