// A trace set: PREFIX plus one file per rank, PREFIX.<rank>.et (protobuf) or PREFIX.<rank>.json, either
// with .gz behind it; and the groups of its group file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/chakra/groups.h"
#include "collectives/chakra/node_reader.h"

namespace weft::chakra {

struct TraceSetOptions {
    std::uint32_t ranks = 0;  // files to expect; 0 = as many as there are
    std::string group_file;   // "" or "empty" = none
};

class TraceSet {
public:
    // Finds the files; opens none of them. Throws InputError when there is none, when one is missing
    // between rank 0 and the last, or when the group file is wrong.
    static TraceSet open(const std::string& prefix, const TraceSetOptions& options = {});

    const std::string& prefix() const { return prefix_; }
    std::uint32_t ranks() const { return static_cast<std::uint32_t>(files_.size()); }
    const std::string& file(std::uint32_t rank) const { return files_.at(rank); }
    std::unique_ptr<NodeReader> reader(std::uint32_t rank) const { return open_trace_file(file(rank)); }
    const std::shared_ptr<const GroupDefinitions>& groups() const { return groups_; }  // of the group file

private:
    std::string prefix_;
    std::vector<std::string> files_;  // by rank
    std::shared_ptr<const GroupDefinitions> groups_ = std::make_shared<GroupDefinitions>();
};

}  // namespace weft::chakra
