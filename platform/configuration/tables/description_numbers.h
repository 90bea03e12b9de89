// Numbers in the description of a link, and what they count: "200 Gb/s", "25 GT/s", "x8", "8 lanes", "2 links", "2x".
#pragma once

#include <string>
#include <vector>

namespace weft {

struct DescribedNumber {
    enum class Of { speed, transfers, lanes, links, ports, times };
    Of of = Of::speed;
    double value = 0;         // bytes or transfers per second; a count
    bool multiplied = false;  // a speed behind an "x", "4x100G": how many of them are one link?
    std::string text;         // in the words of the description
};

// In their order; other numbers ("NVLink 4", "QSFP28 port", "5 m") are none of these.
std::vector<DescribedNumber> numbers_in(const std::string& description);

}  // namespace weft
