#include "infragraph/load.h"

#include <iterator>
#include <utility>

#include "base/text_file.h"
#include "infragraph/annotate.h"
#include "infragraph/query.h"

namespace weft {

namespace {

void append(std::vector<Notice>& notices, Findings& findings)
{
    std::vector<Notice> more = findings.take_notices();
    notices.insert(notices.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void note_isolated(const Graph& graph, Findings& findings)
{
    constexpr std::size_t most_named = 5;
    const std::vector<NodeId> isolated = connectivity(graph).isolated;
    if (isolated.empty() || graph.node_count() == 1) return;
    std::string text =
        std::to_string(isolated.size()) + (isolated.size() == 1 ? " node has" : " nodes have") + " no edge: ";
    for (std::size_t i = 0; i < isolated.size() && i < most_named; ++i)
        text += (i == 0 ? "" : ", ") + graph.node(isolated[i]).name;
    if (isolated.size() > most_named) text += ", ...";
    findings.note(0, std::move(text));
}

}  // namespace

LoadedGraph load_infrastructure(const std::string& path, const LoadOptions& options)
{
    return load_infrastructure_text(path, read_text_file(path, options.largest_text), options);
}

LoadedGraph load_infrastructure_text(const std::string& name, const std::string& text, const LoadOptions& options)
{
    Findings findings(name, options.lenient);
    auto document = std::make_shared<Document>(read_document(text, findings));
    // Owned by the document from here on, while its infrastructure lives as long as the graph.
    const Annotation annotation = std::exchange(document->annotation, {});
    LoadedGraph loaded;
    loaded.file = name;
    loaded.form = document->form;
    loaded.graph = expand(std::move(document), findings, options.limits);
    annotate(loaded.graph, annotation, AnnotationSource::response, findings);
    findings.throw_if_failed();
    note_isolated(loaded.graph, findings);
    append(loaded.notices, findings);
    if (!options.annotation_path.empty())
        apply_annotation_text(loaded, options.annotation_path,
            read_text_file(options.annotation_path, options.largest_text), options.lenient);
    return loaded;
}

void apply_annotation_text(LoadedGraph& loaded, const std::string& name, const std::string& text, bool lenient)
{
    Findings findings(name, lenient);
    const Annotation annotation = read_annotation(text, findings);
    findings.throw_if_failed();
    annotate(loaded.graph, annotation, AnnotationSource::request, findings);
    findings.throw_if_failed();
    append(loaded.notices, findings);
}

}  // namespace weft
