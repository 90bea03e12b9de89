#include "platform/energy/energy.h"

#include <algorithm>

namespace weft {

const char* unit_of(EnergyEvent event)
{
    switch (event) {
    case EnergyEvent::link_bit:
    case EnergyEvent::switch_bit:
    case EnergyEvent::hbm_bit: return "pJ/bit";
    case EnergyEvent::l2_byte:
    case EnergyEvent::memory_side_byte: return "pJ/B";
    case EnergyEvent::operation: return "pJ/operation";
    case EnergyEvent::idle: return "W";
    }
    return "";
}

bool EnergyResult::known() const
{
    return unknown.empty() ||
        std::any_of(parts.begin(), parts.end(), [](const EnergyPart& part) { return part.events > 0; });
}

EnergyResult energy_of(const EnergyTable& table, const std::vector<EnergyCount>& counts, std::uint64_t time_ps)
{
    constexpr double pico = 1e-12;  // of pJ and of ps
    EnergyResult out;
    for (const EnergyCount& count : counts) {
        const std::string what = std::string(section_of(count.event)) + " " + count.name;
        const EnergyFigure* figure = table.find(count.event, count.name);
        if (!count.events) {
            out.unknown.push_back(what + ": " + count.why_not);
            continue;
        }
        if (figure == nullptr) {
            if (*count.events > 0) out.unknown.push_back(what + ": the table has no figure");
            continue;
        }
        EnergyPart part{count.event, count.name, *count.events, *figure, *count.events * figure->low * pico,
            *count.events * figure->high * pico};
        out.low_J += part.low_J;
        out.high_J += part.high_J;
        out.parts.push_back(std::move(part));
    }
    for (const EnergyTable::Row& row : table.rows_of_files()) {
        const auto is_it = [&row](
                               const EnergyCount& count) { return count.event == row.event && count.name == row.name; };
        if (std::none_of(counts.begin(), counts.end(), is_it))
            out.unused.push_back(
                std::string(section_of(row.event)) + " " + row.name + ": " + row.place + " names nothing of this run");
    }
    out.time_ps = time_ps;
    if (time_ps > 0) {
        out.low_W = out.low_J / (static_cast<double>(time_ps) * pico);
        out.high_W = out.high_J / (static_cast<double>(time_ps) * pico);
    }
    return out;
}

}  // namespace weft
