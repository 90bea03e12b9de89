#include "base/merged_statistic.h"

#include <algorithm>

namespace weft {

namespace {

bool has_word(const std::string& name, const std::string& word)
{
    return ("_" + name + "_").find("_" + word + "_") != std::string::npos;
}

bool ends_with(const std::string& name, const std::string& end)
{
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Merging merging_of(const std::string& kind, const std::string& statistic)
{
    if (ends_with(statistic, "_from") || ends_with(statistic, "_to")) return Merging::none;
    if (has_word(statistic, "mean")) return Merging::mean;
    for (const char* word : {"peak", "most", "busiest"})
        if (has_word(statistic, word)) return Merging::largest;
    // The time of the busiest place (gpu/network/network_statistics.h).
    if (kind == "network" && ends_with(statistic, "_busy")) return Merging::largest;
    return Merging::sum;
}

const char* name_of(Merging merging)
{
    switch (merging) {
    case Merging::sum: return "sum";
    case Merging::largest: return "largest";
    case Merging::mean: return "mean";
    case Merging::none: return "one";
    }
    return "";
}

void MergedStatistic::add(double value)
{
    value_ = merging_ == Merging::largest && count_ > 0 ? std::max(value_, value) : value_ + value;
    ++count_;
}

std::optional<double> MergedStatistic::value() const
{
    if (count_ == 0 || (merging_ == Merging::none && count_ > 1)) return std::nullopt;
    return merging_ == Merging::mean ? value_ / static_cast<double>(count_) : value_;
}

}  // namespace weft
