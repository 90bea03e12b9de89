#include "platform/report/timeline_picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/report/cause_words.h"
#include "platform/plotting/colours.h"
#include "platform/plotting/graph_picture.h"

namespace weft {

namespace {

constexpr double left = 190;
constexpr double wide = 1060;
constexpr double top = 26;

double us(Time ps) { return static_cast<double>(ps) * 1e-6; }

// A round step that divides `span` into about eight.
double step_of(double span)
{
    const double raw = span / 8;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= raw) return factor * power;
    return 10 * power;
}

std::string main_cause(const std::vector<std::pair<std::string, Time>>& times)
{
    std::string out;
    Time most = 0;
    for (const auto& [cause, time] : times)
        if (time > most) {
            most = time;
            out = cause;
        }
    return out;
}

// Collectives that overlap stand in rows of their own.
void add_collectives(TimedPicture& picture, const RunResult& result)
{
    constexpr std::size_t most_rows = 12;
    std::vector<Time> ends;
    std::vector<std::vector<const CollectiveResult*>> rows;
    for (const CollectiveResult& run : result.collectives) {
        std::size_t row = 0;
        while (row < ends.size() && ends[row] > run.start_ps) ++row;
        if (row == most_rows) continue;
        if (row == ends.size()) {
            ends.push_back(0);
            rows.emplace_back();
        }
        ends[row] = run.finished ? run.end_ps : result.simulated_ps;
        rows[row].push_back(&run);
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
        picture.row(row == 0 ? "collectives" : "");
        std::size_t number = 0;
        for (const CollectiveResult* run : rows[row]) {
            const Time end = run->finished ? run->end_ps : result.simulated_ps;
            picture.span(us(run->start_ps), us(end), colour_of_kind(number++),
                fmt::format("{} ({}), {} ranks, {}\n{} to {}{}\nbusbw {:.4g} GB/s", run->op, run->algorithm, run->ranks,
                    format_bytes(run->bytes), format_time_ps(run->start_ps), format_time_ps(end),
                    run->finished ? "" : ", not finished", run->busbw_GBps));
        }
    }
}

void add_paths(TimedPicture& picture, const RunResult& result)
{
    constexpr std::size_t most = 12;
    for (std::size_t i = 0; i < std::min(most, result.paths.size()); ++i) {
        const PathResult& path = result.paths[i];
        picture.row(result.paths.size() == 1 ? "critical path" : fmt::format("critical path {}", path.collective));
        for (const PathResult::Segment& segment : path.segments) {
            std::string title = fmt::format("rank {}, {}{}: {} to {}", segment.rank, segment.what,
                segment.what == "step" ? fmt::format(" {} of thread {}", segment.step, segment.thread) : "",
                format_time_ps(segment.begin_ps), format_time_ps(segment.end_ps));
            for (const auto& [cause, time] : segment.times_ps)
                title += fmt::format("\n{}: {}", cause, format_time_ps(time));
            picture.span(us(segment.begin_ps), us(segment.end_ps), colour_of_cause(main_cause(segment.times_ps)),
                title);
        }
    }
}

// Neighbouring parts with the same main cause are one span.
void add_rank(TimedPicture& picture, const RunResult& result, const RunActivity& activity, const RankActivity& rank)
{
    picture.row(fmt::format("rank {}{}", rank.rank,
        rank.rank < result.ranks.size() ? ": " + result.ranks[rank.rank].node : ""));
    const double part_us = us(activity.end_ps) / static_cast<double>(activity.parts);
    const auto main_of = [](const std::vector<double>& spent) {
        const auto most = std::max_element(spent.begin(), spent.end());
        return most == spent.end() || *most <= 0 ? SIZE_MAX : static_cast<std::size_t>(most - spent.begin());
    };
    for (std::size_t begin = 0; begin < rank.parts.size();) {
        const std::size_t cause = main_of(rank.parts[begin]);
        std::size_t end = begin;
        double own = 0;
        double all = 0;
        for (; end < rank.parts.size() && main_of(rank.parts[end]) == cause; ++end)
            for (std::size_t i = 0; i < rank.parts[end].size(); ++i) {
                all += rank.parts[end][i];
                if (i == cause) own += rank.parts[end][i];
            }
        if (cause != SIZE_MAX)
            picture.span(static_cast<double>(begin) * part_us, static_cast<double>(end) * part_us,
                colour_of_cause(activity.causes[cause]),
                fmt::format("rank {}, {:.4g} to {:.4g} us\n{}: {:.0f} % of the time of its workgroups", rank.rank,
                    static_cast<double>(begin) * part_us, static_cast<double>(end) * part_us,
                    words_of_cause(activity.causes[cause]), 100 * own / all));
        begin = end;
    }
}

}  // namespace

void TimedPicture::row(const std::string& label)
{
    const double y = top + static_cast<double>(rows_) * row_height;
    // Names of one system begin alike: the end tells them apart.
    constexpr std::size_t longest = 27;
    constexpr std::size_t first = 7;
    const std::string shown = label.size() > longest
        ? label.substr(0, first) + ".." + label.substr(label.size() - (longest - 2 - first))
        : label;
    labels_ += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>\n", left - 8, y + 14,
        xml_text(shown));
    inside_ += fmt::format("<rect class=\"empty\" x=\"0\" y=\"{:.0f}\" width=\"{:.6f}\" height=\"{:.0f}\"/>\n",
        static_cast<double>(rows_) * row_height + 2, end_us_, row_height - 4);
    ++rows_;
}

void TimedPicture::span(double from_us, double to_us, const std::string& colour, const std::string& title)
{
    const double y = static_cast<double>(rows_ - 1) * row_height + 2;
    inside_ += fmt::format("<g class=\"item\"><title>{}</title><rect x=\"{:.6f}\" y=\"{:.0f}\" width=\"{:.6f}\" "
                           "height=\"{:.0f}\" fill=\"{}\"/></g>\n",
        xml_text(title), from_us, y, std::max(0.0, to_us - from_us), row_height - 4, colour);
}

std::string TimedPicture::svg() const
{
    const double inner = static_cast<double>(rows_) * row_height;
    const double width = left + wide + 30;
    const double height = top + inner + 6;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timed\" role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "width=\"{:.0f}\" height=\"{:.0f}\">\n<title>{}</title>\n<g class=\"axis\">",
        width, height, width, height, xml_text(title_));
    const double step = step_of(end_us_);
    for (int i = 0; i * step <= end_us_ * (1 + 1e-9); ++i) {
        const double x = left + wide * i * step / end_us_;
        out += fmt::format("<text x=\"{0:.1f}\" y=\"12\" text-anchor=\"middle\">{1:.6g} us</text><path class=\"grid\" "
                           "d=\"M{0:.1f} 16v6\"/>",
            x, i * step);
    }
    out += "</g>\n" + labels_;
    out += fmt::format("<svg class=\"inside\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 "
                       "0 {:.6f} {:.0f}\" "
                       "preserveAspectRatio=\"none\">\n{}</svg>\n</svg>\n",
        left, top, wide, inner, end_us_, inner, inside_);
    return out;
}

std::string timeline_svg(const RunResult& result, const RunActivity& activity)
{
    TimedPicture picture("timeline of collectives and ranks", us(std::max<Time>(1, result.simulated_ps)));
    add_collectives(picture, result);
    add_paths(picture, result);
    for (const RankActivity& rank : activity.ranks) add_rank(picture, result, activity, rank);
    return picture.svg();
}

}  // namespace weft
