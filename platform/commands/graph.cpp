#include "infragraph/graph_text.h"
#include "platform/commands/messages.h"
#include "platform/commands/output_file.h"
#include "platform/commands/system_options.h"

namespace weft {

int graph_command(const Arguments& arguments)
{
    CommandLine line("graph",
        "Writes the graph that an InfraGraph document expands to. JSON lists 'nodes' (name, type, ...) and "
        "'edges' "
        "(a, b, link, ...) with fully-qualified names; DOT is for Graphviz, which also lays out the SVG.\n");
    SystemOptions options;
    std::string format = "json";
    std::string path = "-";
    options.add_file(line, "FILE");
    line.value("--format", "FORMAT", format, "one of json, dot, svg; json unless given");
    line.value("-o,--output", "OUT", path, "the file to write; the standard output unless given");
    options.add_reading(line);
    if (!line.parse(arguments)) return exit_good;

    check_choice("--format", format, {"json", "dot", "svg"});
    const OutputFile output(path);
    const LoadedGraph loaded = options.load(options.description());
    const std::string text = format == "json" ? graph_json(loaded.graph)
        : format == "dot"                     ? graph_dot(loaded.graph)
                                              : graph_svg(loaded.graph);
    output.write(text);
    std::vector<std::string> notices;
    for (const Notice& notice : loaded.notices)
        notices.push_back(Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    print_notices(notices);
    return exit_good;
}

}  // namespace weft
