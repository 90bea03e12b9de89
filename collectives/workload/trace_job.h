// A trace set that can be written: how many ranks, their groups, and each rank's trace on demand.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/chakra/groups.h"
#include "collectives/workload/model.h"
#include "collectives/workload/options.h"
#include "collectives/workload/rank_trace.h"

namespace weft::workload {

struct TraceJob {
    std::uint32_t ranks = 0;
    chakra::GroupDefinitions groups;
    std::function<RankTrace(std::uint32_t)> trace;
    std::vector<std::string> notices;  // what was taken for granted

    std::uint32_t pipeline =
        1;  // training of a transformer: stages, chunks of each, microbatches; the ranks of one pipeline
    std::uint32_t interleave = 1;
    std::uint64_t microbatches = 0;
    std::vector<std::uint32_t> stages;
};

// Each throws InputError for what cannot be divided so. Model and options are copied.
TraceJob training_job(const Model& model, const Options& options);
TraceJob prefill_job(const Model& model, const Options& options);
TraceJob decode_job(const Model& model, const Options& options);

// Prompts on some ranks, tokens after them on others. Of both, `tensor` and `expert` divide an instance, `data` counts instances.
struct Disaggregated {
    Options prefill;  // `microbatches`: batches of prompts of an instance
    Options decode;   // `steps`: tokens made of each; its batch follows
};
TraceJob disaggregated_job(const Model& model, const Disaggregated& options);

// Collectives one after another on the first ranks, as a benchmark runs them.
struct MicroOptions {
    std::vector<std::string> operations;
    std::vector<std::uint64_t> sizes;  // S of nccl-tests
    std::vector<std::uint32_t> ranks;
    std::uint64_t iterations = 1;
};
const std::vector<std::string>& micro_operations();
TraceJob micro_job(const MicroOptions& options);

// The trace of one rank on `ranks` ranks; groups of `group` ranks each where that is not 0. Throws InputError for a trace with
// messages to single ranks or groups of its own.
TraceJob replicated_job(const std::string& file, std::uint32_t ranks, std::uint32_t group);

}  // namespace weft::workload
