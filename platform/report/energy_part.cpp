#include <fmt/format.h>

#include "platform/report/cells.h"
#include "platform/report/run_parts.h"

namespace weft {

void add_energy(HtmlPage& page, const RunResult& result)
{
    if (!result.energy) return;
    const EnergyResult& energy = *result.energy;
    page.section("energy", "Energy");
    if (energy.known())
        page.paragraph(fmt::format("{:.4g} to {:.4g} J of what is known, {:.4g} to {:.4g} W in the mean. Each figure "
                                   "is an interval; grade and source say how far to trust it.",
            energy.low_J, energy.high_J, energy.low_W, energy.high_W));
    HtmlTable table{"energy-table",
        {{"of", false}, {"kind", false}, {"events", true}, {"each, low", true}, {"each, high", true}, {"unit", false},
            {"J, low", true}, {"J, high", true}, {"share of high", true}, {"grade", false}, {"source", false}},
        {}, false};
    for (const EnergyPart& part : energy.parts) {
        const bool idle = part.event == EnergyEvent::idle;
        table.rows.push_back({{section_of(part.event)}, {part.name},
            number_cell(idle ? part.events * 1e-12 : part.events), number_cell(part.each.low),
            number_cell(part.each.high), {std::string(unit_of(part.event)) + (idle ? ", events in s" : "")},
            number_cell(part.low_J), number_cell(part.high_J), share_cell(part.high_J, energy.high_J),
            {part.each.grade}, {part.each.source}});
    }
    if (!energy.parts.empty()) page.table(table);
    if (energy.unknown.empty()) return;
    page.paragraph("Not known, and in no sum:");
    page.list(energy.unknown);
}

}  // namespace weft
