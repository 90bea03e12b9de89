#include "platform/simulation/time_series.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"

namespace weft {

TimeSeries::TimeSeries(const FabricModules& fabric, const Graph& graph, Time window, std::uint64_t room)
    : fabric_(fabric), graph_(graph), window_(window), room_(room), next_(window), last_(link_results(fabric, graph, 0))
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
    booked_ = false;
    for (std::size_t i = 0; i < present.size() && now > begin_; ++i) {
        LinkResult& to = present[i];
        const LinkResult& from = last_[i];
        // A wire that is booked from later on is taken for booked from now on.
        to.busy_ps = std::max(to.busy_ps, from.busy_ps);
        booked_ = booked_ || (!to.name.empty() && to.busy_ps < fabric_.links()[i / 2].link->direction(i % 2).busy);
        bool idle = to.lines == from.lines && to.wire_bytes == from.wire_bytes && to.busy_ps == from.busy_ps;
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
        const std::size_t before = text_.size();
        fmt::format_to(std::back_inserter(text_), "{},{},{},{},{},{},{},{},{},{:.6g},{}{}\n", begin_, now - begin_,
            to.name, to.from, to.to, to.lines - from.lines, to.wire_bytes - from.wire_bytes,
            to.payload_bytes - from.payload_bytes, busy, static_cast<double>(busy) / length,
            to.credit_stall_ps ? std::to_string(*to.credit_stall_ps - from.credit_stall_ps.value_or(0)) : "", tail);
        rows_.push_back({begin_, i, text_.size() - before});
    }
    check_room(now);
    last_ = std::move(present);
    begin_ = now;
    if (next_ <= now) next_ += (now - next_) / window_ * window_ + window_;
}

void TimeSeries::pass(Time due)
{
    while (next_ <= due) {
        const std::size_t rows = rows_.size();
        close(next_);
        if (rows_.size() > rows || booked_) continue;
        // Whatever is idle now stays so.
        begin_ += (due - begin_) / window_ * window_;
        next_ = begin_ + window_;
    }
}

void TimeSeries::check_room(Time now) const
{
    // Buffers double as they grow.
    const std::uint64_t bytes = 2 * (text_.size() + rows_.size() * sizeof(Row));
    if (rows_.size() <= most_rows && bytes <= room_) return;
    const std::string reason = rows_.size() > most_rows
        ? fmt::format("more than {} million rows", most_rows / 1'000'000)
        : fmt::format("more than {:.3g} GB of memory, which the run leaves", static_cast<double>(room_) * 1e-9);
    throw InputError("", 0,
        fmt::format("links over time take {}, by {} in windows of {}", reason, format_time_ps(now),
            format_time_ps(window_)),
        "a longer --window");
}

// By window and link.
void TimeSeries::sort()
{
    const auto before = [](const Row& a, const Row& b) {
        return std::tie(a.begin, a.link) < std::tie(b.begin, b.link);
    };
    if (std::is_sorted(rows_.begin(), rows_.end(), before)) return;
    std::vector<std::size_t> begins(rows_.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows_.size(); at += rows_[i++].length) begins[i] = at;
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
        [&](std::size_t a, std::size_t b) { return before(rows_[a], rows_[b]); });
    std::string text;
    text.reserve(text_.size());
    for (const std::size_t i : order) text.append(text_, begins[i], rows_[i].length);
    text_ = std::move(text);
}

std::string TimeSeries::take_csv()
{
    std::string head =
        "start_ps,length_ps,link,from,to,lines,wire_bytes,payload_bytes,busy_ps,utilisation,credit_stall_ps";
    for (std::string name : names_) {
        for (char& c : name)
            if (c == ' ') c = '_';
        for (const char* what : {"lines", "queue", "credits", "credit_stall_ps", "arbitration_wait_ps"})
            head += "," + name + "_" + what;
    }
    sort();
    rows_.clear();
    text_.insert(0, head + "\n");
    return std::move(text_);
}

void TimeSeries::add(const std::vector<Row>& rows, const std::string& text)
{
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    text_ += text;
}

}  // namespace weft
