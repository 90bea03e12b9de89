// The points of a sweep: axes of values and their combinations.
#pragma once

#include <string>
#include <vector>

#include "platform/console/exit_code.h"

namespace weft {

// "PATH=V1,V2,...": a parameter as for --set, or one of the options `bytes`, `algorithm`, ...; "model:GLOB=V1,V2,...": models
// as for --model; "system=FILE,...": system files or documents.
struct SweepAxis {
    enum class Kind : unsigned char { parameter, option, model, system };

    std::string key;
    std::vector<std::string> values;
    Kind kind = Kind::parameter;

    // --set=KEY=VALUE, --KEY=VALUE, --model=GLOB=VALUE or FILE
    std::string argument(const std::string& value) const;
    std::string glob() const;  // of a model
};

// One value of every axis.
using SweepPoint = std::vector<std::string>;

// Options of `weft run` that can be swept.
const std::vector<std::string>& sweep_options();

// Throws InputError for malformed axes, keys that occur twice or beside `given` ("--bytes=..."), and more
// combinations than anyone can want. `options`: those that may be keys.
std::vector<SweepAxis> parse_axes(const std::vector<std::string>& texts, const Arguments& given,
    const std::vector<std::string>& options = sweep_options());

// All combinations, the last axis fastest.
std::vector<SweepPoint> combine(const std::vector<SweepAxis>& axes);

// The arguments that a point adds.
Arguments point_arguments(const std::vector<SweepAxis>& axes, const SweepPoint& point);

}  // namespace weft
