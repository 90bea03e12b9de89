#include "collectives/workload/checks.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/workload/parameters.h"

namespace weft::workload {

namespace {

constexpr std::uint64_t most_ranks = 65536;  // as a run takes them

class Problems {
public:
    void add(const std::string& what, const std::string& expected) { list_.push_back({"weft", 0, what, expected}); }
    // `option` divides `whole`, which is `what`.
    void divides(const char* option, std::uint64_t divisor, std::uint64_t whole, const std::string& what)
    {
        if (divisor > 0 && whole % divisor != 0)
            add(std::string(option) + " " + std::to_string(divisor) + " does not divide " + std::to_string(whole) +
                    " " + what,
                "a divisor of " + std::to_string(whole));
    }
    void throw_if_any() const
    {
        if (!list_.empty()) throw InputError(list_);
    }

private:
    std::vector<Diagnostic> list_;
};

std::string number(std::uint64_t value) { return std::to_string(value); }

void check_shape(const Transformer& model, const Parallel& parallel, Problems& problems)
{
    problems.divides("--tp", parallel.tensor, model.heads, "heads");
    problems.divides("--tp", parallel.tensor, model.hidden, "of width");
    if (model.kv_heads % parallel.tensor != 0 && parallel.tensor % model.kv_heads != 0)
        problems.add("--tp " + number(parallel.tensor) + " and " + number(model.kv_heads) +
                " heads of keys do not divide each other",
            "a divisor or a multiple of " + number(model.kv_heads));
    if (model.ffn > 0) problems.divides("--tp", parallel.tensor, model.ffn, "of width of the feed-forward part");
    if (model.experts > 0) problems.divides("--tp", parallel.tensor, model.expert_ffn, "of width of an expert");
    if (model.latent.used())
        problems.divides("--tp", parallel.tensor, model.heads * model.latent.nope_width, "of width of all heads");
    if (parallel.expert > 1) {
        if (model.experts == 0)
            problems.add("--ep, but the model has no experts", "no option --ep");
        else
            problems.divides("--ep", parallel.expert, model.experts, "experts");
        problems.divides("--ep", parallel.expert, parallel.data, "replicas (--dp)");
        if (parallel.tensor > 1 && !parallel.sequence)
            problems.add("--ep with --tp sends every token " + number(parallel.tensor) + " times", "--sp beside them");
    }
}

// Operations of a rank are counted in 64 bits, and traces hold them in 63. An upper bound: forward, backward and again for
// recomputation, with all that a layer multiplies.
void check_operations(const Transformer& model, const Options& options, std::uint64_t sequence, std::uint64_t tokens,
    Problems& problems)
{
    const Parallel& parallel = options.parallel;
    const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
    const double hidden = real(model.hidden);
    const double attention =
        hidden * (real(query_width(model)) + real(value_width(model)) + 2 * real(cached_width(model)));
    const double experts = real(std::max(model.top_k + model.shared_experts, std::uint64_t{1}));
    const double ffn = 3 * hidden * (real(model.ffn) + experts * real(model.expert_ffn));
    const double scores = real(sequence + options.cached) * (real(query_width(model)) + real(value_width(model)));
    const double each = real(model.layers) * (attention + ffn + scores) + hidden * real(model.vocabulary);
    const double ranks = real(parallel.tensor) * real(parallel.context) * real(parallel.pipeline);
    const double all = 12 * each * real(tokens) * real(options.microbatches) * real(options.steps) / ranks;
    if (all > 9e18)
        problems.add(fmt::format("a step of up to {:.1e} operations on a rank", all),
            "fewer than 9e18, with a smaller model, fewer tokens or more ranks");
}

}  // namespace

void require_divisible(const Transformer& model, const Options& options, const std::string& what)
{
    Problems problems;
    const Parallel& parallel = options.parallel;
    const bool training = what == "training";
    const std::uint64_t ranks = std::uint64_t{parallel.tensor} * parallel.context * parallel.data * parallel.pipeline;
    if (ranks > most_ranks) problems.add(number(ranks) + " ranks", "at most " + number(most_ranks));
    check_shape(model, parallel, problems);
    const std::uint64_t sequence = options.sequence > 0 ? options.sequence : model.sequence;
    const std::uint64_t tokens = what == "decode" ? options.microbatch : options.microbatch * sequence;
    problems.divides("--cp", parallel.context, sequence, "tokens of a sequence");
    if (parallel.sequence)
        problems.divides("--tp", parallel.tensor, tokens / parallel.context,
            "tokens of a microbatch, which --sp shares out");
    check_operations(model, options, sequence, tokens, problems);
    const std::uint64_t chunks = std::uint64_t{parallel.pipeline} * parallel.interleave;
    if (chunks > model.layers)
        problems.add(number(chunks) + " parts of a pipeline for " + number(model.layers) + " layers",
            "at most as many");
    if (parallel.interleave > 1 && !training)
        problems.add("--interleave, but the workload has no backward pass", "weft workload training");
    if (parallel.interleave > 1 && parallel.pipeline < 2) problems.add("--interleave with one stage", "--pp 2 or more");
    if (parallel.interleave > 1)
        problems.divides("--pp", parallel.pipeline, options.microbatches,
            "microbatches, which --interleave runs in rounds");
    if (parallel.zero > 0 && !training) problems.add("--zero without a training step", "weft workload training");
    if (what == "decode" && parallel.context > 1) problems.add("--cp with steps of one token", "no --cp");
    problems.throw_if_any();
}

void require_data_parallel(const Options& options, const std::string& what)
{
    Problems problems;
    const Parallel& parallel = options.parallel;
    if (parallel.tensor * parallel.context * parallel.pipeline * parallel.expert * parallel.interleave > 1 ||
        parallel.sequence || parallel.zero > 0)
        problems.add(what + " is data parallel", "--dp alone");
    if (options.microbatches > 1) problems.add(what + " has one batch a step", "no --microbatches");
    if (parallel.data > most_ranks) problems.add(number(parallel.data) + " ranks", "at most " + number(most_ranks));
    problems.throw_if_any();
}

}  // namespace weft::workload
