// Links over time: how busy their directions were, and how many lines stood in their queues.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct LinkHeat {
    std::string name;  // "from -> to"
    double busy_ps = 0;
    std::vector<double> share;  // of each part of the time
    std::vector<double> queue;  // mean lines in all queues of the direction
};

struct Heat {
    double end_us = 0;
    std::vector<LinkHeat> links;  // the busiest first
    std::size_t links_in_all = 0;
    double most_share = 0;
    double most_queue = 0;
    bool queues = false;  // whether they are known
};

// `series` is RunResult::series (--series).
Heat read_heat(const std::string& series, double end_ps, std::size_t parts, std::size_t most_links);

// Both relative to the largest value in them, which Heat names.
std::string heat_svg(const Heat& heat);
std::string queue_svg(const Heat& heat);

}  // namespace weft
