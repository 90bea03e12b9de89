// Small systems for the suites of platform/configuration.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/configuration/resolution/resolve.h"

namespace weft {

// Two H100 behind two NVSwitches, each switch on a fabric link, and a host over PCI Express.
extern const char* const small_box;

// The graph of a document text; the file is called "box.yaml".
std::shared_ptr<const Graph> graph_of(const std::string& text);

// A description as if `text` were the contents of "system.yaml" beside "box.yaml".
SystemDescription described(const std::string& text);

// Resolves `small_box` (or `document`) with the lines of a system file and --set options.
ResolvedSystem resolved(const std::string& system_lines = "", const std::vector<std::string>& sets = {},
    const std::string& document = small_box, const KnownNames& known = {});

// The text of the InputError that `action` throws; empty when it throws none.
std::string error_of(const std::function<void()>& action);

// Value and source of one parameter of a node or edge: "50 MiB | profile h100: ...".
std::string explained(const ResolvedSystem& system, const std::string& instance, const std::string& parameter);

}  // namespace weft
