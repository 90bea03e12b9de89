#include "platform/simulation/time_series.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace weft {

TimeSeries::TimeSeries(const FabricModules& fabric, const Graph& graph, Time window)
    : fabric_(fabric), graph_(graph), window_(window), next_(window), last_(link_results(fabric, graph, 0))
{
    Channels own;
    for (const FabricModules::LinkPlace& place : fabric.links())
        for (const auto& watch : place.watch)
            if (watch != nullptr) {
                own.vcs.insert(watch->vcs().begin(), watch->vcs().end());
                own.sets = std::max(own.sets, static_cast<unsigned>(place.link->spec().vc_sets));
            }
    set_channels(own);
}

void TimeSeries::set_channels(const Channels& channels)
{
    channels_ = channels;
    names_.clear();
    for (const std::uint8_t vc : channels_.vcs) names_.push_back(vc_name(vc, channels_.sets));
}

void TimeSeries::close(Time now)
{
    std::vector<LinkResult> present = link_results(fabric_, graph_, now);
    const double length = static_cast<double>(now - begin_);
    for (std::size_t i = 0; i < present.size() && now > begin_; ++i) {
        const LinkResult& to = present[i];
        const LinkResult& from = last_[i];
        bool idle = to.lines == from.lines && to.wire_bytes == from.wire_bytes;
        std::string tail;
        for (const std::string& name : names_) {
            std::size_t c = 0;
            while (c < to.channels.size() && to.channels[c].name != name) ++c;
            if (c == to.channels.size()) {
                tail += ",,,,,";
                continue;
            }
            const PortWatch::Channel& end = to.channels[c].count;
            const PortWatch::Channel& begin = from.channels[c].count;
            idle = idle && end.queue_area == begin.queue_area && end.credit_area == begin.credit_area;
            tail += fmt::format(",{},{:.6g},{:.6g},{},{}", end.lines - begin.lines,
                static_cast<double>(end.queue_area - begin.queue_area) / length,
                static_cast<double>(end.credit_area - begin.credit_area) / length,
                end.credit_stall - begin.credit_stall, end.arbitration_wait - begin.arbitration_wait);
        }
        if (idle) continue;
        const Time busy = to.busy_ps - from.busy_ps;
        std::string text =
            fmt::format("{},{},{},{},{},{},{},{},{},{:.6g},{}", begin_, now - begin_, to.name, to.from, to.to,
                to.lines - from.lines, to.wire_bytes - from.wire_bytes, to.payload_bytes - from.payload_bytes, busy,
                static_cast<double>(busy) / length,
                to.credit_stall_ps ? std::to_string(*to.credit_stall_ps - from.credit_stall_ps.value_or(0)) : "") +
            tail + "\n";
        rows_.push_back({begin_, i, std::move(text)});
    }
    last_ = std::move(present);
    begin_ = now;
    if (next_ <= now) next_ += (now - next_) / window_ * window_ + window_;
}

void TimeSeries::pass(Time due)
{
    while (next_ <= due) {
        const std::size_t rows = rows_.size();
        close(next_);
        if (rows_.size() > rows) continue;
        // Whatever is idle now stays so.
        begin_ += (due - begin_) / window_ * window_;
        next_ = begin_ + window_;
    }
}

std::string TimeSeries::csv() const
{
    std::string head =
        "start_ps,length_ps,link,from,to,lines,wire_bytes,payload_bytes,busy_ps,utilisation,credit_stall_ps";
    for (std::string name : names_) {
        for (char& c : name)
            if (c == ' ') c = '_';
        for (const char* what : {"lines", "queue", "credits", "credit_stall_ps", "arbitration_wait_ps"})
            head += "," + name + "_" + what;
    }
    head += "\n";
    for (const Row& row : rows_) head += row.text;
    return head;
}

void TimeSeries::add(std::vector<Row> rows)
{
    for (Row& row : rows) rows_.push_back(std::move(row));
    std::stable_sort(rows_.begin(), rows_.end(),
        [](const Row& a, const Row& b) { return std::tie(a.begin, a.link) < std::tie(b.begin, b.link); });
}

}  // namespace weft
