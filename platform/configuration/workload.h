// The workload of a system, from its file or the command line; the code that runs it looks up the names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/algorithms/algorithms.h"
#include "platform/configuration/parameters/blocks.h"
#include "platform/configuration/parameters/yaml_fields.h"

namespace weft {

// Names that only higher floors know, by what they name, for checks and "did you mean". A list that
// is empty or absent is not checked.
struct KnownNames {
    std::map<std::string, std::vector<std::string>> models;  // by kind: "gpu", "switch"
    std::vector<std::string> collectives;
    std::vector<std::string> algorithms;
    std::shared_ptr<const BlockTable> blocks{};  // of parameters, with those of models; null: those of Weft
};

// The notation of a background kernel.
inline constexpr const char* kernel_form = "gemm:M,N,K or gemm:M,N,K,TILE with whole numbers from 1 to 65536";

constexpr std::uint64_t most_chunks = 64;  // that a rank's share can be divided into

struct Workload {
    enum class Kind : std::uint8_t { none, collective, trace };
    Kind kind = Kind::none;
    int line = 0;                                     // of the system file
    std::map<std::string, int, std::less<>> lines{};  // of its keys there; 0: the command line's
    int line_of(std::string_view key) const
    {
        const auto found = lines.find(key);
        return found == lines.end() ? line : found->second;
    }
    // `file` where the key, or the workload that lacks it, stands there; empty for what the command line gives.
    std::string file_of(std::string_view key, const std::string& file) const
    {
        return line_of(key) == 0 ? std::string() : file;
    }

    std::string collective;  // "all_reduce", ...; empty with a plan
    std::string plan;        // file of a plan that says how, or prefix of traces; relative paths resolved
    std::uint64_t bytes = 0;
    std::string algorithm;     // empty: the default of each operation, the first that docs/algorithms.md lists
    std::uint64_t chunks = 0;  // synthesize: of each rank's share; 0 = several are tried
    std::string element = "fp32";
    std::string reduction = "sum";
    std::uint64_t rank_count = 0;         // the first endpoints; 0 = all, unless rank_nodes says which
    std::vector<std::string> rank_nodes;  // globs over node names, in order
    std::uint64_t root = 0;
    std::uint64_t rings = 0;     // of the algorithm, 0: its own choice
    std::uint64_t pipeline = 0;  // pieces, 0: its own choice
    std::vector<Dimension> dimensions;
    std::map<std::uint64_t, std::uint64_t> delays;  // by rank: ps that it enters after the others

    std::string beside;  // kernel that every rank runs beside it (gpu/kernels/gemm.h); empty: none

    std::string trace;         // prefix of the files, relative paths resolved
    std::string groups;        // group file, relative paths resolved
    std::string dependencies;  // policy; empty = the feeder's own
};

// The `workload:` mapping of a system file; `folder` is where relative paths start ("" or ending in '/').
Workload read_workload(const YamlSource& source, const YamlField& field, const std::string& folder);

// Names that are not in `known`; `file` is the place of the workload.
void check_workload(const Workload& workload, const KnownNames& known, const std::string& file,
    std::vector<Diagnostic>& problems);

}  // namespace weft
