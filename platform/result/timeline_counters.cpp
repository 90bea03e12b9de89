#include "platform/result/timeline_counters.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/comma_list.h"
#include "base/time.h"

namespace weft {

namespace {

// Behind all ranks.
constexpr std::uint32_t first_process = 1'000'000;

struct Window {
    Time end = 0;
    double bytes = 0;
    double queue = 0;
};

std::vector<std::string_view> rows_of(std::string_view text)
{
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end > at) out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

struct Windows {
    std::map<std::string, std::map<Time, Window>> of;  // by node and begin
    bool queues = false;                               // whether they are known
};

Windows windows_of(const std::string& series)
{
    Windows out;
    const std::vector<std::string_view> rows = rows_of(series);
    if (rows.empty()) return out;
    const std::vector<std::string_view> titles = comma_list(rows.front());
    const auto column = [&](std::string_view title) {
        return static_cast<std::size_t>(std::find(titles.begin(), titles.end(), title) - titles.begin());
    };
    const std::size_t start = column("start_ps");
    const std::size_t length = column("length_ps");
    const std::size_t from = column("from");
    const std::size_t bytes = column("wire_bytes");
    const std::size_t busy = column("busy_ps");
    // A line may be busy in more windows than the one that has its bytes: a link's bytes go with its time.
    std::map<std::string, std::pair<double, double>> totals;
    const auto number_of = [](const std::vector<std::string_view>& row, std::size_t i) {
        return i >= row.size() || row[i].empty() ? 0.0 : std::stod(std::string(row[i]));
    };
    const auto link_of = [&](const std::vector<std::string_view>& row) {
        return std::string(row[column("link")]) + "\n" + std::string(row[from]);
    };
    std::vector<std::size_t> queues;
    for (std::size_t i = 0; i < titles.size(); ++i)
        if (titles[i].size() > 6 && titles[i].substr(titles[i].size() - 6) == "_queue") queues.push_back(i);
    out.queues = !queues.empty();
    for (std::size_t r = 1; r < rows.size(); ++r) {
        const std::vector<std::string_view> row = comma_list(rows[r]);
        auto& [all_bytes, all_busy] = totals[link_of(row)];
        all_bytes += number_of(row, bytes);
        all_busy += number_of(row, busy);
    }
    for (std::size_t r = 1; r < rows.size(); ++r) {
        const std::vector<std::string_view> row = comma_list(rows[r]);
        const auto [all_bytes, all_busy] = totals.at(link_of(row));
        const Time begin = std::stoull(std::string(row[start]));
        Window& window = out.of[std::string(row[from])][begin];
        window.end = begin + std::stoull(std::string(row[length]));
        window.bytes += all_busy > 0 ? number_of(row, busy) * (all_bytes / all_busy) : number_of(row, bytes);
        for (const std::size_t queue : queues) window.queue += number_of(row, queue);
    }
    return out;
}

// "rank 3: dgx.0.xpu.3" is the process of dgx.0.xpu.3.
std::map<std::string, std::uint32_t> processes_of(const std::string& timeline)
{
    std::map<std::string, std::uint32_t> out;
    for (const std::string_view row : rows_of(timeline)) {
        if (row.find("\"process_name\"") == std::string_view::npos) continue;
        const auto event = nlohmann::json::parse(row.substr(0, row.rfind('}') + 1));
        const std::string name = event.at("args").at("name");
        const std::size_t colon = name.find(": ");
        if (colon != std::string::npos) out.emplace(name.substr(colon + 2), event.at("pid").get<std::uint32_t>());
    }
    return out;
}

std::string counter(std::uint32_t process, const char* name, const char* unit, Time at, double value)
{
    return fmt::format(",\n{{\"ph\":\"C\",\"pid\":{},\"name\":\"{}\",\"ts\":{}.{:06},\"args\":{{\"{}\":{:.6g}}}}}",
        process, name, at / 1'000'000, at % 1'000'000, unit, value);
}

std::string counters(std::uint32_t process, Time at, double GBps, double lines, bool queues)
{
    return counter(process, "links out", "GB/s", at, GBps) +
        (queues ? counter(process, "queues of links out", "lines", at, lines) : "");
}

}  // namespace

std::string with_counters(const std::string& timeline, const std::string& series)
{
    const Windows nodes = windows_of(series);
    const std::size_t end = timeline.rfind("\n]}");
    if (nodes.of.empty() || end == std::string::npos) return timeline;
    const std::map<std::string, std::uint32_t> ranks = processes_of(timeline);
    std::string out;
    std::uint32_t next = first_process;
    for (const auto& [node, windows] : nodes.of) {
        const auto rank = ranks.find(node);
        const std::uint32_t process = rank == ranks.end() ? next++ : rank->second;
        if (rank == ranks.end())
            out += fmt::format(
                ",\n{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_name\",\"args\":{{\"name\":{1}}}}},\n"
                "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{0}}}}}",
                process, nlohmann::json(node).dump());
        Time last = 0;
        for (const auto& [begin, window] : windows) {
            if (begin > last) out += counters(process, last, 0, 0, nodes.queues);
            const double rate = window.bytes * 1e3 / static_cast<double>(window.end - begin);
            out += counters(process, begin, rate, window.queue, nodes.queues);
            last = window.end;
        }
        out += counters(process, last, 0, 0, nodes.queues);
    }
    return timeline.substr(0, end) + out + timeline.substr(end);
}

}  // namespace weft
