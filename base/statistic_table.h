// Statistics as declarations: name, unit and text are said once, for `weft models`, results and the documentation. A module
// writes values by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/statistic.h"

namespace weft {

struct StatisticInfo {
    std::string name;
    std::string unit;    // "B", "ps", "lines", ...
    std::string text;    // what it counts
    std::string when{};  // in which modules it is written; empty: in all of the kind
};
using StatisticTable = std::vector<StatisticInfo>;

StatisticTable operator+(StatisticTable first, const StatisticTable& second);
// The same under names with a prefix.
StatisticTable prefixed(const std::string& prefix, StatisticTable table);
// The same, written in some modules only.
StatisticTable only_when(const std::string& when, StatisticTable table);

class StatisticWriter {
public:
    // `prefix` stands before each name in `table` already.
    StatisticWriter(const StatisticTable& table, std::vector<Statistic>& out, std::string prefix = "")
        : table_(table), out_(out), prefix_(std::move(prefix))
    {
    }

    // statistic_problems() finds a name that the table does not have, and one that is written twice.
    template <class Number>
    void operator()(std::string_view name, Number value)
    {
        write(name, static_cast<double>(value));
    }

private:
    void write(std::string_view name, double value);

    const StatisticTable& table_;
    std::vector<Statistic>& out_;
    std::string prefix_;
};

// What `written` has that `table` has not, or has in another unit, twice, or as no finite number, and what it lacks; a sentence each.
std::vector<std::string> statistic_problems(const StatisticTable& table, const std::vector<Statistic>& written);

}  // namespace weft
