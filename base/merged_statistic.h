// How the values of one statistic are put together over several modules of a kind.
//
// By the words in its name, between underscores, which statistics of plug-ins follow as well: with `peak`, `most` or `busiest` it is a
// largest value, of which the largest counts; with `mean` a mean, of which the mean over the modules counts; ending with `from` or `to` the
// number of a place, of which several have no common value. All others are added up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

enum class Merging : std::uint8_t { sum, largest, mean, none };

// How values of this statistic are put together, for modules of this kind.
Merging merging_of(const std::string& kind, const std::string& statistic);
// "sum", "largest", "mean", "one"
const char* name_of(Merging merging);

class MergedStatistic {
public:
    explicit MergedStatistic(Merging merging) : merging_(merging) {}

    void add(double value);
    // Nothing of none, and of several that have no common value.
    std::optional<double> value() const;
    Merging merging() const { return merging_; }

private:
    Merging merging_;
    double value_ = 0;
    std::uint64_t count_ = 0;
};

}  // namespace weft
