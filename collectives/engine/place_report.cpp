#include "collectives/engine/place_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "collectives/schedule/stall_lines.h"

namespace weft {

namespace {

constexpr std::size_t most_lines = 8;
constexpr const char* help = "fewer workgroups each (engine.channels), more places (gpu.workgroups_per_unit), or "
                             "receives that the trace posts later";

// " (128 units x 4)", where that is so many.
std::string by_unit(const PlaceUse& use, std::uint64_t places)
{
    if (use.units == 0 || places % use.units != 0) return "";
    return fmt::format(" ({} unit{} x {})", use.units, use.units == 1 ? "" : "s", places / use.units);
}

std::string line_of(const PlaceUse& use)
{
    const bool receives = use.held_by_receives == use.held;
    std::string out = fmt::format(": {} that have begun hold all {} places of workgroups{}",
        receives ? "receives" : "operations", use.held, by_unit(use, use.held));
    if (!receives && use.held_by_receives > 0) out += fmt::format(", {} of them receives", use.held_by_receives);
    const bool sends = use.waiting_sends > 0;
    out += fmt::format(", while {} wait for one ({} workgroups)", sends ? "its sends" : "others",
        sends ? use.waiting_sends : use.waiting);
    return out +
        (use.held_by_receives > 0 ? fmt::format("; {} would help", help)
                                  : "; fewer workgroups each (engine.channels) or more places "
                                    "(gpu.workgroups_per_unit) would help");
}

}  // namespace

std::vector<std::string> full_places(const std::vector<PlaceUse>& ranks)
{
    StallLines lines(static_cast<std::uint32_t>(ranks.size()));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        if (ranks[rank].waiting > 0 && ranks[rank].held > 0)
            lines.add(static_cast<std::uint32_t>(rank), line_of(ranks[rank]));
    return lines.text(most_lines);
}

std::string held_places_notice(const std::vector<PlaceUse>& ranks)
{
    const auto longest = [](const PlaceUse& use) { return std::max(use.longest_other, use.longest_receive); };
    std::size_t waited = 0;
    std::size_t worst = 0;
    const auto weight = [&](const PlaceUse& use) { return std::pair(use.longest_other, use.longest_receive); };
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (longest(ranks[rank]) > 0) ++waited;
        if (weight(ranks[rank]) > weight(ranks[worst])) worst = rank;
    }
    if (waited == 0) return "";
    const PlaceUse& use = ranks[worst];
    std::string who;
    if (use.longest_other > 0)
        who = fmt::format("up to {} for sends and other operations", format_time_ps(use.longest_other));
    if (use.longest_receive > 0)
        who += fmt::format("{}up to {} for receives", who.empty() ? "" : ", ", format_time_ps(use.longest_receive));
    std::string out =
        fmt::format("workgroups waited for places that posted receives held, {} at rank {}, where receives "
                    "held up to {} of {} places{}",
            who, worst, use.most_by_receives, use.places, by_unit(use, use.places));
    if (waited > 1) out += fmt::format(" (and at {} other rank{})", waited - 1, waited > 2 ? "s" : "");
    return out + fmt::format(": {} can make the run shorter (docs/engine.md, Places of posted receives)", help);
}

}  // namespace weft
