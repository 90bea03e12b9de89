#include "rtl/modules/pin_shell.h"

#include <fmt/format.h>

namespace weft {

void PinShell::run(ScheduledItem& item)
{
    if (!ok()) return;
    const Time now = event_queue().now();
    if (item.kind != tick_kind) {
        arrive(item, now);
    } else if (tick_.rings(now)) {
        tick(now);
    }
}

void PinShell::tell(Time now, const std::string& tail, std::vector<std::string> instances, Time period)
{
    const std::string when =
        clock_ > 0 ? fmt::format("clock {} ({} ps)", now / clock_, now) : fmt::format("at {} ps", now);
    errors_.push_back(fmt::format("{}: {}{}", path(), when, tail));
    if (instances.empty()) instances.push_back(path());
    note_fault(std::move(instances), now, clock_ > 0 ? clock_ : period);
    event_queue().stop();
}

void PinShell::tell_recent(const RecentLines& lines, unsigned place, const std::string& what)
{
    for (const std::string& line : lines.of(place)) errors_.push_back(fmt::format("  {} {}", what, line));
}

}  // namespace weft
