// Resolves a description and an expanded graph to a ResolvedSystem.
//
// Layers, later wins: defaults of the Spec structs; profile, link table and node table; bandwidth and
// latency of links in the InfraGraph document; its annotations; the system file; --set. Credits that
// nobody states are sized at the end for the round trip of their link (resolve_links.cpp).
#pragma once

#include <memory>

#include "infragraph/load.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// The graph of `description.infrastructure`. Throws InputError; that the file cannot be read is told at the line of the system
// file that names it.
LoadedGraph load_infrastructure_of(const SystemDescription& description, const LoadOptions& options);

// Throws InputError with every problem found: unknown names, paths that match nothing, values out of
// range, values that do not fit together. `graph` is kept alive by the result.
ResolvedSystem resolve(const SystemDescription& description, std::shared_ptr<const Graph> graph,
    const KnownNames& known = {});

// The same with the graph of `description.infrastructure`, whose notices come first.
ResolvedSystem load_system(const SystemDescription& description, const KnownNames& known = {});

}  // namespace weft
