// The entry point: an InfraGraph document as a graph that is ready to use.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "infragraph/document.h"
#include "infragraph/expand.h"
#include "infragraph/findings.h"
#include "infragraph/graph.h"

namespace weft {

struct LoadOptions {
    // Take what the InfraGraph reference service takes without complaint, with one notice each.
    bool lenient = false;
    // An annotation request to apply after the expansion; none when empty.
    std::string annotation_path;
    ExpansionLimits limits;
    std::size_t largest_text = std::size_t{1} << 28;  // bytes, after inflating
};

struct LoadedGraph {
    std::string file;
    Document::Form form = Document::Form::infrastructure;
    Graph graph;  // graph.infrastructure() is the document
    std::vector<Notice> notices;
};

// Reads (YAML or JSON, gzip or not), checks, expands and annotates. Throws InputError with every problem
// of the document.
LoadedGraph load_infrastructure(const std::string& path, const LoadOptions& options = {});

// The same from a text; `name` stands for the file in messages.
LoadedGraph load_infrastructure_text(const std::string& name, const std::string& text, const LoadOptions& options = {});

// Applies an annotation request to a loaded graph.
void apply_annotation_text(LoadedGraph& loaded, const std::string& name, const std::string& text, bool lenient);

}  // namespace weft
