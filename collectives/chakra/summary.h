// The contents of one trace file, in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/chakra/id_set.h"
#include "collectives/chakra/node_reader.h"

namespace weft::chakra {

struct Summary {
    std::string version;
    std::vector<std::string> metadata;  // attribute names
    std::uint64_t nodes = 0;
    std::map<std::string, std::uint64_t> types;        // "COMP_NODE" -> nodes
    std::map<std::string, std::uint64_t> collectives;  // "ALL_REDUCE/1048576" -> nodes; "None" where not given
    std::map<std::string, std::uint64_t> groups;       // pg_name of collectives, "-" where not given -> nodes
    std::uint64_t send_bytes = 0;
    std::uint64_t recv_bytes = 0;
    std::uint64_t cpu_nodes = 0;
    std::uint64_t duration_us = 0;  // sum
    std::uint64_t data_deps = 0;
    std::uint64_t ctrl_deps = 0;
    std::uint64_t roots = 0;       // nodes with neither kind of dependency
    std::uint64_t missing = 0;     // dependencies on ids that no node has
    std::uint64_t duplicates = 0;  // nodes whose id an earlier one has
};

// References to ids not (yet) seen, from the first node that made them.
struct AbsentParent {
    std::uint64_t data = 0;  // references by data dependencies
    std::uint64_t control = 0;
    std::string child;  // label of the first referring node, by data dependency if any
    int line = 0;
};

// Builds a summary node by node. Memory: the ids seen, as intervals, and the open references.
class Summariser {
public:
    explicit Summariser(const TraceMetadata& metadata);

    // False when the node's id was there before.
    bool add(const Node& node);

    // After the last node.
    Summary finish();
    const std::map<std::uint64_t, AbsentParent>& absent() const { return open_; }

private:
    void reference(const Node& node, std::uint64_t parent, bool control);

    Summary summary_;
    IdSet seen_;
    std::map<std::uint64_t, AbsentParent> open_;
};

// Reads all of a file. Throws InputError.
Summary summary_of(NodeReader& reader);

}  // namespace weft::chakra
