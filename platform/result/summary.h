// The page that a summary is: a label and a text a line, and the parts that write on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "platform/result/run_result.h"

namespace weft {

// The lines of the summary: a label, then what it says.
class SummaryPage {
public:
    void line(std::string_view label, std::string_view text) { text_ += fmt::format("{:<12}{}\n", label, text); }
    void row(std::string text)
    {
        text.erase(text.find_last_not_of(' ') + 1);
        text_ += text + "\n";
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// "1.84 MB": three digits, for people.
std::string short_bytes(double bytes);
// "5.48 M"
std::string short_count(double count);
// "1 switch", "3 switches"
std::string counted(std::size_t count, const std::string& what);
// Never "0 %" for something nor "100 %" for less.
std::string percent(double share);

// The first `most` of `lines`, and how many are left out.
void list(SummaryPage& page, std::string_view label, const std::vector<std::string>& lines, std::size_t most);

// The busiest links, those with alike names and loads as one row (summary_links.cpp).
void add_links(SummaryPage& page, const RunResult& result);
// For a run with --watch: channels with waiting requests or responses.
void add_stalls(SummaryPage& page, const RunResult& result);

using CauseTimes = std::vector<std::pair<std::string, Time>>;  // by cause
// The `times` of ranks by cause, as shares of the simulated time; ranks with alike times share a row, which has their mean
// (summary_ranks.cpp).
void add_shares(SummaryPage& page, const RunResult& result, CauseTimes RankResult::*times, const std::string& heading);
// The critical path of a trace and its operations; empty for a collective.
std::string trace_summary(const RunResult& result);
// The critical paths of collectives; empty without any.
std::string path_summary(const RunResult& result);

}  // namespace weft
