// A system as its author describes it: the InfraGraph document, what its nodes are, parameters and the
// workload. Comes from a system file (system_yaml.cpp), from command-line options, or from both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration/workload.h"

namespace weft {

// "PATH = VALUE", with where it was said.
struct Assignment {
    std::string path;  // selector.h
    std::string value;
    std::string file;  // "--set" for the command line
    int line = 0;      // 0: none

    std::string origin() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

// Nodes by glob over their names, or by what the document says of them; every text given must fit.
struct NodeSelector {
    std::string glob;
    std::string component;
    std::string device;
    std::string type;

    std::string text() const;
};

// Gives nodes a profile, a model (with its traffic), a kind, or several of them; empty = left as it is.
struct Binding {
    NodeSelector nodes;
    std::string profile;
    std::string model;
    std::string traffic;  // model replay: path of its profile of traffic
    std::string kind;     // row of the node table
    std::string file;
    int line = 0;

    std::string origin() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

struct SystemDescription {
    std::string name;            // empty: the document's
    std::string file;            // the system file; empty when there is none
    std::string infrastructure;  // path of the InfraGraph document
    int infrastructure_line = 0;
    std::string profile;       // of every xpu that no binding names; empty: chosen by description
    std::string profile_file;  // where that was said
    int profile_line = 0;
    std::vector<Binding> bindings;        // later wins
    std::vector<Assignment> assignments;  // system file, later wins
    std::vector<Assignment> sets;         // command line, later wins
    std::uint64_t seed = 1;
    bool lenient = false;
    Workload workload;
};

// Throws InputError with every problem of the file.
SystemDescription read_system_file(const std::string& path);
SystemDescription read_system_text(const std::string& path, const std::string& text);

// Whether a YAML text is a system file rather than an InfraGraph document: its `infrastructure` is a
// path. False for everything that cannot be read.
bool is_system_text(const std::string& path, const std::string& text);

// "l2.size=40 MiB", "dgx.*.nvsw.*=rtl" and "dgx.0.xpu.*=replay:FILE" of the command line. Throw InputError without file.
Assignment parse_set(const std::string& option);
Binding parse_model_option(const std::string& option);

}  // namespace weft
