// Data rates of InfiniBand by their names: "NDR", "NDR 4x", "2x HDR", "HDR100".
#pragma once

#include <string>
#include <vector>

namespace weft {

struct NamedRate {
    double bytes = 0;    // per second
    double nominal = 0;  // what the rate is called by where that differs: signalled, of "QDR 40G" and "FDR 56G"
    std::string text;    // in the words of the description
};

struct InfinibandRates {
    std::vector<NamedRate> rates;
    std::string unread;   // behind a name, and neither a width nor a rate: "3x", "5m"
    std::string unknown;  // a name without a rate here
    std::string rest;     // the description with blanks for the widths and numbers of these rates
};

InfinibandRates infiniband_rates(const std::string& description);

}  // namespace weft
