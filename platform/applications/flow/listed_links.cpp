#include "platform/applications/flow/listed_links.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

namespace {

constexpr std::size_t most_listed = 10'000;

std::string kind_of(const LinkResult& link)
{
    std::string name = link.from + ">" + link.to;
    name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }), name.end());
    return name;
}

}  // namespace

std::vector<LinkResult> listed_links(std::vector<LinkResult> links, std::vector<std::string>& notices)
{
    if (links.size() <= most_listed) return links;
    std::map<std::string, LinkResult> busiest;
    for (LinkResult& link : links) {
        const auto [entry, fresh] = busiest.try_emplace(kind_of(link), link);
        if (!fresh && link.busy_ps > entry->second.busy_ps) entry->second = link;
    }
    notices.push_back(fmt::format("of {} link directions, only the busiest of each of {} kinds are listed",
        links.size(), busiest.size()));
    links.clear();
    for (auto& [kind, link] : busiest) links.push_back(std::move(link));
    return links;
}

void tell_overfull(const std::vector<LinkResult>& links, Time simulated_ps, std::vector<std::string>& notices)
{
    // Bookings are rounded to 1 ps each.
    const auto over = [&](const LinkResult& link) { return link.busy_ps > simulated_ps + simulated_ps / 1000; };
    const auto count = std::count_if(links.begin(), links.end(), over);
    if (count == 0) return;
    const LinkResult& worst = *std::max_element(links.begin(), links.end(),
        [](const LinkResult& a, const LinkResult& b) { return a.busy_ps < b.busy_ps; });
    notices.push_back(
        fmt::format("{} link direction{} busy for longer than the run: what {} -> {} carries takes {}, so "
                    "the time is too short by {} at least",
            count, count == 1 ? " was" : "s were", worst.from, worst.to, format_time_ps(worst.busy_ps),
            format_time_ps(worst.busy_ps - simulated_ps)));
}

}  // namespace weft
