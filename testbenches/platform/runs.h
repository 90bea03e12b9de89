// Whole runs in processes of their own, with their results as JSON.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "platform/simulation/run.h"

namespace weft::testing {

using Json = nlohmann::json;

// A system: a document (a path, or the text of one where it holds a line break), lines of a system file and
// --set options.
struct RunSetup {
    std::string document;
    std::string lines;
    std::vector<std::string> sets;
    RunOptions options;
    std::vector<std::string> rank_nodes;  // of a trace; globs
    std::string algorithm;                // of a trace; empty: the default

    RunSetup with(const std::string& set) const
    {
        RunSetup copy = *this;
        copy.sets.push_back(set);
        return copy;
    }
};

ResolvedSystem resolve_setup(const RunSetup& setup, const KnownNames& known = {});

// star_document(4) with these lines of a system file, and with the models of `registry`. Throws InputError.
ResolvedSystem star_of_four(const ModelRegistry& registry, const std::vector<std::string>& sets,
    const std::string& lines);

// In this process, which can do so once. Throws InputError.
RunResult run_here(const RunSetup& setup);

// In a child. The result (platform/result/report.h, wall-clock times 0) with "blocked" and "mismatches" added;
// for an input that is refused {"refused": text}. A crash or a run of more than `limit_s` fails the test.
Json run(const RunSetup& setup, unsigned limit_s = 100);
Json result_of(const std::function<RunResult()>& action, unsigned limit_s = 100);

// `action` in a child with a time limit; its text.
std::string in_timed_child(const std::function<std::string()>& action, unsigned limit_s);

// "collective: all_reduce, bytes: 1024, ..." as the lines of a workload.
std::string collective_lines(const std::string& op, const std::string& algorithm, const std::string& bytes,
    const std::string& more = "");
std::string trace_lines(const std::string& prefix, const std::string& more = "");

std::string example(const std::string& name);  // path of an InfraGraph document of examples/
std::string shared_document(const std::string& name);
bool has_shared();

// `n` accelerators around one switch, or with one link between every two; 25 GB/s, 70 ns.
std::string star_document(unsigned n);
std::string mesh_document(unsigned n);

}  // namespace weft::testing
