// One number that a module reports at the end of a run.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct Statistic {
    std::string name;
    double value = 0;
    std::string unit;  // "B", "ps", "lines", ...
    std::string text;  // what it counts
};

// Every module that counts something derives from this; reports read modules only through it.
class StatisticsProvider {
public:
    virtual ~StatisticsProvider() = default;
    virtual std::vector<Statistic> statistics() const = 0;
    virtual void reset_statistics() = 0;
};

}  // namespace weft
