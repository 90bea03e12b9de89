// What a waveform shows at the rising edges of its clock: values just before each edge, as a register sees them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::test {

struct FstSample {
    std::uint64_t ps = 0;
    std::map<std::string, std::string> values;  // bits, the highest first, by name of the signal
};

// Of the signals `names` in the top scope of `file` (FST), at each rising edge of `clock`. Empty: it cannot be read.
std::vector<FstSample> fst_samples(const std::string& file, const std::string& clock,
    const std::vector<std::string>& names);

}  // namespace weft::test
