#include "platform/commands/options/workload_options.h"

#include <fmt/format.h>

#include "base/units.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "gpu/kernels/gemm.h"
#include "platform/commands/options/known_names.h"
#include "platform/commands/options/named_inputs.h"
#include "platform/console/messages.h"

namespace weft {

namespace {

const std::vector<std::string> reductions{"sum", "min", "max"};
const std::vector<std::string> policies{"automatic", "data", "data_and_control"};
constexpr std::uint64_t most_ranks_given = 65535;

bool reduces(const Workload& workload)
{
    CollectiveOp op = CollectiveOp::custom;
    return collective_from_name(workload.collective, op) && has_reduction(op);
}

}  // namespace

void WorkloadOptions::add(CommandLine& line)
{
    line.section("workload, instead of that of the system file");
    line.value("--collective", "OP", collective_, one_of(collective_names()));
    line.value("--plan", "FILE", plan_,
        "a plan instead of a collective: MSCCL XML, MSCCL++ JSON, or the prefix of Chakra traces of one collective; it "
        "runs on the first accelerators");
    line.value("--bytes", "N", bytes_,
        "size of the message as nccl-tests counts it (all-gather: whole output; reduce-scatter: whole "
        "input); "
        "units B KiB MiB GiB KB MB GB");
    line.value("--algorithm", "A", algorithm_,
        one_of(algorithms_of("")) +
            "; auto selects the fastest by estimate, synthesize makes one for the document; for a trace: used by its "
            "collectives that have this algorithm");
    line.value("--chunks", "N", chunks_,
        "of synthesize: number of chunks of each rank's share, 1 to " + std::to_string(most_chunks) +
            "; default: several are tried");
    line.value("--ranks", "N", ranks_, "the first N accelerators take part; default all");
    line.value("--element", "TYPE", element_, one_of(element_names()) + "; default fp32");
    line.value("--reduction", "OP", reduction_, one_of(reductions) + "; default sum");
    line.value("--root", "RANK", root_, "root rank of a broadcast, reduce, gather or scatter; default 0");
    line.value("--rings", "N", rings_,
        "number of rings of the algorithm rings; default as many as share no link, at most 8");
    line.value("--pipeline", "N", pipeline_, "pieces into which trees and chains divide a message; default 8");
    line.value("--dimensions", "D=N,...", dimensions_,
        "dimensions of the ranks, innermost first, such as xpu=8,host=4 or xpu=8:direct,host=4; default: ranks in a "
        "device and devices if there are several, else two dimensions near to square; for a trace those of its "
        "involved_dim");
    line.values("--delay", "RANK=TIME", delays_,
        "this rank enters the collective later than the others by this time, repeatable; units ps ns us ms s");
    line.value("--trace", "PREFIX", trace_, "Chakra traces PREFIX.0.et, PREFIX.1.et, ..., one per rank");
    line.value("--groups", "FILE", groups_, "process groups of the trace");
    line.value("--dependencies", "POLICY", dependencies_, "dependencies of a trace that are kept: " + one_of(policies));
    line.value("--beside", "KERNEL", beside_,
        "background kernel that every rank repeats until the workload ends: gemm:M,N,K or gemm:M,N,K,TILE, a product "
        "of bf16 matrices");
}

void WorkloadOptions::require(const Workload& workload, Workload::Kind kind, const char* option,
    const std::string& value) const
{
    if (value.empty() || workload.kind == kind) return;
    throw usage_error(std::string("option '") + option + "' needs a " +
            (kind == Workload::Kind::trace ? "trace" : "collective"),
        kind == Workload::Kind::trace ? "--trace PREFIX with it" : "--collective OP with it");
}

// --collective, --plan and --trace.
void WorkloadOptions::choose(Workload& workload) const
{
    if (!collective_.empty() && !trace_.empty())
        throw usage_error("both --collective and --trace are given", "one of them");
    if (!plan_.empty() && (!collective_.empty() || !trace_.empty()))
        throw usage_error("both --plan and " + std::string(trace_.empty() ? "--collective" : "--trace") + " are given",
            "one of them");
    if (!plan_.empty()) {
        if (workload.kind != Workload::Kind::collective || workload.plan.empty()) workload = {};
        workload.kind = Workload::Kind::collective;
        workload.plan = plan_;
    }
    if (!collective_.empty()) workload.plan.clear();
    if (!collective_.empty()) {
        check_choice("--collective", collective_, collective_names());
        if (workload.kind != Workload::Kind::collective) workload = {};
        workload.kind = Workload::Kind::collective;
        workload.collective = collective_;
        workload.algorithm = algorithms_of(collective_).front();
    }
    if (!trace_.empty()) {
        if (workload.kind != Workload::Kind::trace) workload = {};
        workload.kind = Workload::Kind::trace;
        workload.trace = trace_;
    }
}

std::map<std::uint64_t, std::uint64_t> WorkloadOptions::delays() const
{
    std::map<std::uint64_t, std::uint64_t> out;
    for (const std::string& text : delays_) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw usage_error("--delay " + quoted_word(text) + " has no time", "RANK=TIME, such as 7=10us");
        const std::uint64_t rank = number_option("--delay", text.substr(0, equals), 0, most_ranks_given);
        if (!out.emplace(rank, time_option("--delay", text.substr(equals + 1))).second)
            throw usage_error(fmt::format("two delays of rank {}", rank), "one --delay of each rank");
    }
    return out;
}

void WorkloadOptions::apply(Workload& workload) const
{
    choose(workload);
    using Kind = Workload::Kind;
    require(workload, Kind::collective, "--bytes", bytes_);
    require(workload, Kind::collective, "--chunks", chunks_);
    require(workload, Kind::collective, "--element", element_);
    require(workload, Kind::collective, "--reduction", reduction_);
    require(workload, Kind::collective, "--root", root_);
    require(workload, Kind::collective, "--rings", rings_);
    require(workload, Kind::collective, "--pipeline", pipeline_);
    if (workload.kind == Kind::none) require(workload, Kind::collective, "--dimensions", dimensions_);
    require(workload, Kind::collective, "--delay", delays_.empty() ? "" : delays_.front());
    if (workload.kind == Kind::trace) require(workload, Kind::collective, "--ranks", ranks_);
    require(workload, Kind::trace, "--groups", groups_);
    require(workload, Kind::trace, "--dependencies", dependencies_);
    if (workload.kind == Kind::none && (!algorithm_.empty() || !ranks_.empty()))
        throw usage_error("the workload is missing",
            "--collective OP --bytes N, --plan FILE --bytes N or --trace PREFIX");

    if (!workload.plan.empty() && !algorithm_.empty())
        throw usage_error("option '--algorithm' with a plan", "--collective OP, or no --algorithm");
    CollectiveOp op = CollectiveOp::custom;
    if (!root_.empty() && !(collective_from_name(workload.collective, op) && has_root(op)))
        throw usage_error("option '--root' needs a broadcast, reduce, gather or scatter",
            "a collective with a root, such as --collective broadcast");
    if (!reduction_.empty() && workload.plan.empty() && !reduces(workload))
        throw usage_error("option '--reduction' needs a collective that reduces",
            "--collective all_reduce, reduce_scatter or reduce");
    if (!bytes_.empty() && workload.collective == "barrier")
        throw usage_error("option '--bytes' needs a collective with a message; a barrier has none", "no --bytes");
    if (workload.collective == "barrier") workload.bytes = 0;
    if (!bytes_.empty()) workload.bytes = bytes_option("--bytes", bytes_);
    if (!algorithm_.empty()) {
        check_choice("--algorithm", algorithm_, algorithms_of(workload.collective));
        workload.algorithm = algorithm_;
    }
    if (!chunks_.empty()) {
        if (workload.algorithm != "synthesize")
            throw usage_error("option '--chunks' needs a synthesized schedule", "--algorithm synthesize with it");
        workload.chunks = number_option("--chunks", chunks_, 1, most_chunks);
    }
    if (!ranks_.empty()) {
        workload.rank_count = number_option("--ranks", ranks_, 1, most_ranks_given);
        workload.rank_nodes.clear();
    }
    if (!element_.empty()) {
        check_choice("--element", element_, element_names());
        workload.element = element_;
    }
    if (!reduction_.empty()) {
        check_choice("--reduction", reduction_, reductions);
        workload.reduction = reduction_;
    }
    if (!rings_.empty()) workload.rings = number_option("--rings", rings_, 1, most_rings);
    if (!pipeline_.empty()) workload.pipeline = number_option("--pipeline", pipeline_, 1, most_pipeline);
    if (!dimensions_.empty()) {
        std::string repeated;
        const auto dimensions = dimensions_from_text(dimensions_, &repeated);
        if (!dimensions && !repeated.empty())
            throw usage_error("option '--dimensions' has the value '" + dimensions_ + "' with the name '" + repeated +
                    "' for two dimensions",
                "a name for each dimension");
        if (!dimensions)
            throw usage_error("option '--dimensions' has the value '" + dimensions_ + "'", dimensions_form);
        workload.dimensions = *dimensions;
    }
    if (!root_.empty()) workload.root = number_option("--root", root_, 0, most_ranks_given);
    if (!delays_.empty()) workload.delays = delays();
    if (!groups_.empty()) workload.groups = groups_;
    if (!dependencies_.empty()) {
        check_choice("--dependencies", dependencies_, policies);
        workload.dependencies = dependencies_;
    }
    if (!beside_.empty()) {
        if (!Gemm::parse(beside_)) throw usage_error("option '--beside' has the value '" + beside_ + "'", kernel_form);
        workload.beside = beside_;
    }
    if (!bytes_.empty() && workload.bytes == 0)
        throw usage_error("option '--bytes' has the value " + quoted_word(bytes_), "at least one byte, such as 1MiB");
    // A plan may be for one size only.
    if (workload.kind == Kind::collective && workload.bytes == 0 && workload.collective != "barrier" &&
        workload.plan.empty())
        throw workload.lines.count("bytes") > 0
            ? usage_error("a collective of 0 bytes", "at least one byte, such as --bytes 1MiB")
            : usage_error("the size of the collective is missing", "--bytes N, such as 1MiB");
    place(workload);
}

void WorkloadOptions::note_inputs() const
{
    Workload named;
    named.kind = trace_.empty() ? Workload::Kind::collective : Workload::Kind::trace;
    named.plan = plan_;
    named.trace = trace_;
    named.groups = groups_;
    note_named_inputs(named);
}

// Errors about options of the command line must not name a line of the system file.
void WorkloadOptions::place(Workload& workload) const
{
    const std::pair<const char*, bool> keys[] = {{"collective", !collective_.empty()},
        {"algorithm", !(collective_ + algorithm_).empty()}, {"plan", !plan_.empty()}, {"trace", !trace_.empty()},
        {"bytes", !bytes_.empty()}, {"type", !element_.empty()}, {"reduction", !reduction_.empty()},
        {"ranks", !ranks_.empty()}, {"root", !root_.empty()}, {"delay", !delays_.empty()}, {"rings", !rings_.empty()},
        {"pipeline", !pipeline_.empty()}, {"dimensions", !dimensions_.empty()}, {"chunks", !chunks_.empty()},
        {"groups", !groups_.empty()}, {"dependencies", !dependencies_.empty()}};
    for (const auto& [key, given] : keys)
        if (given) workload.lines[key] = 0;
}

std::string workload_text(const Workload& workload)
{
    if (workload.kind == Workload::Kind::none) return "none";
    const std::string beside = workload.beside.empty() ? "" : ", background kernel " + workload.beside;
    if (workload.kind == Workload::Kind::trace) return "trace " + workload.trace + beside;
    if (!workload.plan.empty())
        return "plan " + workload.plan +
            (workload.bytes > 0 ? " over " + format_bytes(workload.bytes) + " of " + workload.element : "") + beside;
    std::string out = workload.collective;
    if (workload.collective != "barrier") out += " over " + format_bytes(workload.bytes);
    if (reduces(workload)) out += " of " + workload.element + " (" + workload.reduction + ")";
    return out + ", algorithm " +
        (workload.algorithm.empty() ? algorithms_of(workload.collective).front() : workload.algorithm) + beside;
}

}  // namespace weft
