#include "platform/report/heat_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "platform/report/timeline_picture.h"
#include "platform/plotting/colours.h"

namespace weft {

namespace {

std::vector<std::string> cells_of(const std::string& line)
{
    std::vector<std::string> out(1);
    for (const char c : line) {
        if (c == ',')
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

bool ends_with_queue(const std::string& name)
{
    const std::string end = "_queue";
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

// Neighbouring parts of the same tenth are one span.
void add_row(TimedPicture& picture, const std::string& name, const std::vector<double>& values, double most,
    double end_us, const char* unit)
{
    picture.row(name);
    const double part_us = end_us / static_cast<double>(values.size());
    const auto level = [&](double value) {
        return value <= 0 || most <= 0 ? -1 : static_cast<int>(std::ceil(value / most * 20));
    };
    for (std::size_t begin = 0; begin < values.size();) {
        std::size_t end = begin;
        double sum = 0;
        for (; end < values.size() && level(values[end]) == level(values[begin]); ++end) sum += values[end];
        if (values[begin] > 0) {
            const double mean = sum / static_cast<double>(end - begin);
            picture.span(static_cast<double>(begin) * part_us, static_cast<double>(end) * part_us,
                colour_of_share(mean / most),
                fmt::format("{}\n{:.4g} to {:.4g} us: {:.3g} {}", name, static_cast<double>(begin) * part_us,
                    static_cast<double>(end) * part_us, unit[0] == '%' ? 100 * mean : mean, unit));
        }
        begin = end;
    }
}

}  // namespace

Heat read_heat(const std::string& series, double end_ps, std::size_t parts, std::size_t most_links)
{
    Heat out;
    out.end_us = end_ps * 1e-6;
    std::map<std::string, std::size_t> places;
    std::vector<std::size_t> queues;
    const double part_ps = std::max(1.0, end_ps) / static_cast<double>(parts);
    for (std::size_t at = 0; at < series.size();) {
        const std::size_t next = std::min(series.find('\n', at), series.size());
        const std::vector<std::string> cells = cells_of(series.substr(at, next - at));
        const bool head = at == 0;
        at = next + 1;
        if (head) {
            for (std::size_t i = 0; i < cells.size(); ++i)
                if (ends_with_queue(cells[i])) queues.push_back(i);
            out.queues = !queues.empty();
            continue;
        }
        // start_ps, length_ps, link, from, to, lines, wire_bytes, payload_bytes, busy_ps, ...
        if (cells.size() < 9) continue;
        const double from = std::strtod(cells[0].c_str(), nullptr);
        const double length = std::max(1.0, std::strtod(cells[1].c_str(), nullptr));
        const double busy = std::strtod(cells[8].c_str(), nullptr);
        double queue = 0;
        for (const std::size_t column : queues)
            if (column < cells.size()) queue += std::strtod(cells[column].c_str(), nullptr);
        const std::string name = cells[3] + " -> " + cells[4];
        const auto [place, fresh] = places.emplace(cells[2] + "\n" + name, out.links.size());
        if (fresh) out.links.push_back({name, 0, std::vector<double>(parts), std::vector<double>(parts)});
        LinkHeat& link = out.links[place->second];
        link.busy_ps += busy;
        for (auto part = static_cast<std::size_t>(from / part_ps); part < parts; ++part) {
            const double begin = std::max(from, static_cast<double>(part) * part_ps);
            const double end = std::min(from + length, static_cast<double>(part + 1) * part_ps);
            if (end <= begin) break;
            link.share[part] += busy * (end - begin) / length / part_ps;
            link.queue[part] += queue * (end - begin) / part_ps;
        }
    }
    out.links_in_all = out.links.size();
    std::stable_sort(out.links.begin(), out.links.end(),
        [](const LinkHeat& a, const LinkHeat& b) { return a.busy_ps > b.busy_ps; });
    if (out.links.size() > most_links) out.links.resize(most_links);
    for (const LinkHeat& link : out.links)
        for (std::size_t part = 0; part < parts; ++part) {
            out.most_share = std::max(out.most_share, link.share[part]);
            out.most_queue = std::max(out.most_queue, link.queue[part]);
        }
    return out;
}

std::string heat_svg(const Heat& heat)
{
    TimedPicture picture("how busy links were over time", heat.end_us);
    for (const LinkHeat& link : heat.links)
        add_row(picture, link.name, link.share, heat.most_share, heat.end_us, "% busy");
    return picture.svg();
}

std::string queue_svg(const Heat& heat)
{
    TimedPicture picture("transactions in the queues of links over time", heat.end_us);
    for (const LinkHeat& link : heat.links)
        add_row(picture, link.name, link.queue, heat.most_queue, heat.end_us, "transactions in the mean");
    return picture.svg();
}

}  // namespace weft
