#include "gpu/network/mesh.h"

#include "gpu/network/die_account.h"
#include "gpu/network/network_statistics.h"

namespace weft {

Mesh::Mesh(const NetworkSpec& spec)
    : columns_(static_cast<unsigned>(spec.columns)), tiles_(spec.columns * spec.rows), hop_latency_(spec.hop_latency)
{
    if (tiles_ > NetworkSpec::most_tiles) SC_REPORT_FATAL("/weft/network", "a mesh of more than 512 tiles");
    links_.fill(RateServers(tiles_ * directions, spec.link_rate, line_bytes + static_cast<std::uint32_t>(spec.header)));
}

Mesh::Step Mesh::step(LineClass cls, unsigned tile, unsigned to, Time now, std::uint32_t bytes)
{
    const unsigned column = tile % columns_;
    const unsigned wanted = to % columns_;
    const Direction way = wanted > column ? east : wanted < column ? west : to > tile ? south : north;
    const std::array<unsigned, directions> next{tile + 1, tile - 1, tile + columns_, tile - columns_};
    RateServers& links = links_[static_cast<unsigned>(cls)];
    const Time start = bytes > 0 && links.limited() ? links.book(tile * directions + way, now, bytes) : now;
    return {next[way], 1U + way, start + hop_latency_};
}

void Mesh::add_statistics(std::vector<Statistic>& out) const
{
    add_load("link", {&links_[0], &links_[1]}, out);
    static const std::array<const char*, line_classes> names{"request", "answer"};
    for (unsigned cls = 0; cls < line_classes; ++cls) {
        if (!links_[cls].limited()) continue;
        const std::size_t link = links_[cls].busiest();
        const std::string name = std::string("link_") + names[cls];
        StatisticWriter write(network_statistics(), out);
        write(name + "_busiest_from", link / directions);
        write(name + "_busiest_to", link % directions);
        write(name + "_busiest_bytes", links_[cls].bytes(link));
    }
}

void Mesh::reset_statistics()
{
    for (RateServers& links : links_) links.reset_statistics();
}

}  // namespace weft
