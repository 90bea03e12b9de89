// Puts annotations on an expanded graph.
//
// A node is named literally ("host.0.xpu.1", or a prefix of whole elements such as "host.0" for
// everything below it) or, without a dot, by elements with slices ("server[0:2]xpu[0:3]").
#pragma once

#include "infragraph/document.h"
#include "infragraph/findings.h"
#include "infragraph/graph.h"

namespace weft {

enum class AnnotationSource {
    request,  // immutable attributes are skipped with a notice
    response  // the record of a graph: immutable attributes are expected, and noted only where they differ
};

// Adds what `findings` does not refuse; the graph is of no use when it refuses something. Later values
// overwrite earlier ones.
void annotate(Graph& graph, const Annotation& annotation, AnnotationSource source, Findings& findings);

}  // namespace weft
