#include "base/statistic_table.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

template <class List>
auto find_name(List& list, std::string_view name)
{
    return std::find_if(list.begin(), list.end(), [name](const auto& entry) { return entry.name == name; });
}

}  // namespace

StatisticTable operator+(StatisticTable first, const StatisticTable& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

StatisticTable prefixed(const std::string& prefix, StatisticTable table)
{
    for (StatisticInfo& info : table) info.name.insert(0, prefix);
    return table;
}

StatisticTable only_when(const std::string& when, StatisticTable table)
{
    for (StatisticInfo& info : table) info.when = when;
    return table;
}

void StatisticWriter::write(std::string_view name, double value)
{
    const std::string full = prefix_ + std::string(name);
    const auto info = find_name(table_, full);
    if (info == table_.end())
        out_.push_back({full, value, "", ""});
    else
        out_.push_back({full, value, info->unit, info->text});
}

std::vector<std::string> statistic_problems(const StatisticTable& table, const std::vector<Statistic>& written)
{
    std::vector<std::string> out;
    for (const Statistic& statistic : written) {
        const auto info = find_name(table, statistic.name);
        if (info == table.end())
            out.push_back("writes statistic " + statistic.name + ", which its declaration does not have");
        else if (info->unit != statistic.unit)
            out.push_back("writes statistic " + statistic.name + " in '" + statistic.unit + "', its declaration has '" +
                info->unit + "'");
        if (&*find_name(written, statistic.name) != &statistic)
            out.push_back("writes statistic " + statistic.name + " twice");
        if (!std::isfinite(statistic.value))
            out.push_back("writes statistic " + statistic.name + ", which is no finite number");
    }
    for (const StatisticInfo& info : table)
        if (info.when.empty() && find_name(written, info.name) == written.end())
            out.push_back("declares statistic " + info.name + " and does not write it");
    return out;
}

}  // namespace weft
