#include "platform/applications/flow/listed_links.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

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

}  // namespace weft
