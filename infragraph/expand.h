// Expands a document to its graph.
//
// The work is linear in the document and in the graph that comes out. What a document may expand to is
// bounded before anything is allocated.
#pragma once

#include <cstdint>
#include <memory>

#include "infragraph/document.h"
#include "infragraph/graph.h"

namespace weft {

struct ExpansionLimits {
    std::uint64_t nodes = 4'000'000;
    std::uint64_t edges = 16'000'000;  // definitions of edges, before repetitions collapse
};

// Expands the infrastructure of `document`. Problems go to `findings`, those that the reader found
// included: throws InputError with all of them. `document` is kept alive by the graph.
Graph expand(const std::shared_ptr<const Document>& document, Findings& findings, const ExpansionLimits& limits = {});

}  // namespace weft
