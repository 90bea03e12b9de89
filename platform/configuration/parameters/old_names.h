// Names of the last release that users may have written: of parameters, of their values and of models. Each is read
// as the name of today, with one notice. The notices go to stderr and into no result: results are the same under both
// names.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration/parameters/blocks.h"

namespace weft {

struct OldName {
    enum class Kind : std::uint8_t { parameter, value, model };
    Kind kind = Kind::parameter;
    std::string owner;  // of a parameter its block, of a value the parameter "l2.model", of a model its kind
    std::string old;
    std::string now;
};

const std::vector<OldName>& all_old_names();

class OldNames {
public:
    // The path of a parameter (selector.h) as it is called today. `file` and `line`: who says it.
    std::string path(std::string_view path, const BlockTable& blocks, const std::string& file, int line);
    // A parameter's own name within `block`.
    std::string parameter(std::string_view block, std::string_view name, const std::string& file, int line);
    std::string value(std::string_view parameter, std::string_view text, const std::string& file, int line);
    std::string model(std::string_view kind, std::string_view name, const std::string& file, int line);

    // One for each old name, in the order in which they came first.
    const std::vector<std::string>& notices() const { return notices_; }

private:
    std::string current(OldName::Kind kind, std::string_view owner, std::string_view name, const std::string& file,
        int line);

    std::set<std::string> told_;
    std::vector<std::string> notices_;
};

}  // namespace weft
