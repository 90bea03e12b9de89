// `weft workload`: traces without a recording.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/read_files.h"
#include "base/text_file.h"
#include "base/units.h"
#include "collectives/workload/model_reader.h"
#include "collectives/workload/parameters.h"
#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/commands/texts/workload_text.h"
#include "platform/console/interrupt.h"

namespace weft {

namespace {

using workload::Model;
using workload::ModelKind;
using workload::Options;

const std::vector<std::string> workload_kinds{"training", "prefill", "decode", "disaggregated", "micro", "replicate"};
constexpr std::uint64_t most_of_a_dimension = 65536;

// "8:64MiB" doubling, "8:64MiB:4" times four, or single sizes "1KiB,1MiB".
std::vector<std::uint64_t> size_list(const std::string& text)
{
    std::vector<std::uint64_t> out;
    for (const std::string_view view : comma_list(text)) {
        const std::string item(view);
        const std::size_t first = item.find(':');
        if (first == std::string::npos) {
            out.push_back(bytes_option("--sizes", item));
            continue;
        }
        const std::size_t second = std::min(item.find(':', first + 1), item.size());
        const std::uint64_t low = bytes_option("--sizes", item.substr(0, first));
        const std::uint64_t high = bytes_option("--sizes", item.substr(first + 1, second - first - 1));
        const std::uint64_t step =
            second < item.size() ? number_option("--sizes", item.substr(second + 1), 2, 1024) : 2;
        if (low == 0 || low > high)
            throw usage_error("the sizes " + quoted_word(item), "FROM:TO or FROM:TO:FACTOR, FROM at least 1 B");
        for (std::uint64_t size = low; size <= high; size *= step) {
            out.push_back(size);
            if (size > high / step) break;
        }
    }
    if (std::find(out.begin(), out.end(), 0) != out.end())
        throw usage_error("a size of 0 B in '--sizes'", "1 B or more");
    return out;
}

class WorkloadCommand {
public:
    void add(CommandLine& line)
    {
        line.positional("KIND", kind_, one_of(workload_kinds), false);
        line.flag("--list", list_,
            "list the models of the program and compare their parameters with published figures");
        line.value("-o,--output", "PREFIX", prefix_,
            "write PREFIX.0.et, PREFIX.1.et, ... and PREFIX_groups.json; default: print only the sums");
        line.value("--json", "FILE", json_, "write the sums as JSON; '-' writes JSON instead of the table");
        line.section("the model, for all kinds except micro and replicate");
        line.value("--model", "NAME", model_, "a name that --list shows, or a file NAME.yaml (docs/workloads.md)");
        line.value("--layers", "N", layers_,
            "number of layers instead of the model's, for a small part of a large model");
        line.value("--sequence", "N", sequence_, "tokens of a sequence or of a prompt; default that of the model");
        line.value("--microbatch", "N", microbatch_, "sequences, samples or images in a microbatch; default 1");
        line.value("--microbatches", "N", microbatches_, "microbatches of a step and replica; default 1");
        line.value("--element", "BYTES", element_, "bytes of an activation or a weight; default 2, for a dlrm 4");
        line.flag("--causal", causal_, "attention skips the operations that the causal mask hides, half of all");
        line.section("division of a model; ranks = --tp x --cp x --dp x --pp, in this order from the innermost");
        line.value("--tp", "N", tp_, "tensor parallel");
        line.value("--pp", "N", pp_, "pipeline stages");
        line.value("--dp", "N", dp_, "replicas");
        line.value("--cp", "N", cp_, "context parallel: ranks that share a sequence");
        line.value("--cp-kind", "KIND", cp_kind_, "ring or all_gather; default ring");
        line.value("--ep", "N", ep_, "ranks of --dp that share the experts");
        line.flag("--sp", sp_, "sequence parallel inside --tp");
        line.value("--interleave", "N", interleave_, "chunks of layers on each stage");
        line.section("training");
        line.value("--zero", "STAGE", zero_,
            "0: gradients are all-reduced; 1, 2: sharded optimizer, gradients; 3: FSDP");
        line.value("--recompute", "WHAT", recompute_, "none, selective (the core of attention) or full; default none");
        line.value("--gradient", "BYTES", gradient_, "bytes of a gradient that is reduced; default 4");
        line.value("--bucket", "SIZE", bucket_, "bytes of gradients that are reduced together; default 25MiB");
        line.section("decode, disaggregated");
        line.value("--context", "N", context_, "decode: tokens that each sequence has already");
        line.value("--steps", "N", steps_, "tokens that are generated for each sequence; default 1");
        line.value("--decode-tp", "N", decode_tp_,
            "disaggregated: --tp of the decode instances; --tp, --dp and --ep are for the prompt instances");
        line.value("--decode-dp", "N", decode_dp_, "disaggregated: number of decode instances");
        line.value("--decode-ep", "N", decode_ep_, "disaggregated: --ep of the decode instances");
        line.section("micro");
        line.value("--ops", "OP,...", ops_, one_of(workload::micro_operations()) + "; default all_reduce");
        line.value("--sizes", "FROM:TO:FACTOR", sizes_,
            "range of sizes as nccl-tests counts them, or a list; default 8B:64MiB:2");
        line.value("--ranks", "N,...", ranks_,
            "micro: number of ranks of each collective, the first N; replicate: number of copies");
        line.value("--iterations", "N", iterations_, "runs of each size; default 1");
        line.section("replicate");
        line.value("--trace", "FILE", trace_,
            "the recorded trace of one rank; it must have collectives of all ranks and no messages");
        line.value("--group", "N", group_, "number of copies that form a group for the collectives; default all");
    }

    int run()
    {
        if (list_) {
            print(models_text());
            return exit_good;
        }
        if (kind_.empty()) throw usage_error("the kind of workload is missing", one_of(workload_kinds) + ", or --list");
        if (std::find(workload_kinds.begin(), workload_kinds.end(), kind_) == workload_kinds.end())
            throw usage_error("unknown workload " + quoted_word(kind_),
                with_nearest(one_of(workload_kinds), kind_, workload_kinds));
        refuse_strangers();
        if (!prefix_.empty()) require_folder();
        const OutputFile json(json_);
        WorkloadPage page;
        const workload::TraceJob job = make_job(page);
        page.prefix = prefix_;
        if (!prefix_.empty()) refuse_larger_set(job.ranks);
        if (!prefix_.empty()) try_traces(job.ranks, json);
        if (prefix_.empty()) {
            page.report = workload::carry_out(job, {});
        } else if (!write_traces(job, page.report)) {
            std::fputs("weft: interrupted; no trace is written\n", stderr);
            return exit_interrupted;
        }
        print_notices(page.report.notices);
        if (json.wanted()) json.write(workload_json(page));
        if (!json.is_stdout()) print(weft::workload_text(page));
        return exit_good;
    }

private:
    struct Owner {
        const char* option;
        const std::string* value;
        std::vector<std::string> kinds;
    };

    // False: interrupted. A part of a set would be read as a smaller one, so that none of it stays.
    bool write_traces(const workload::TraceJob& job, workload::TraceReport& report) const
    {
        const InterruptGuard interrupt;
        struct Interrupted {};
        std::vector<std::string> written;
        try {
            report = workload::carry_out(job, [&](const std::string& name, const std::string& bytes) {
                if (InterruptGuard::requested()) throw Interrupted();
                const std::string path = prefix_ + name;
                write_text_file(path, bytes);
                written.push_back(path);
            });
        } catch (const Interrupted&) {
            remove_all(written);
            return false;
        } catch (...) {
            remove_all(written);
            throw;
        }
        return true;
    }

    static void remove_all(const std::vector<std::string>& paths)
    {
        std::error_code ignored;
        for (const std::string& path : paths) std::filesystem::remove(path, ignored);
    }

    // An option that the kind has no use for is a mistake, not a default.
    void refuse_strangers() const
    {
        const std::vector<std::string> models{"training", "prefill", "decode", "disaggregated"};
        const Owner owners[] = {{"--model", &model_, models}, {"--layers", &layers_, models},
            {"--sequence", &sequence_, {"training", "prefill", "disaggregated"}},
            {"--microbatch", &microbatch_, models}, {"--microbatches", &microbatches_, models},
            {"--element", &element_, models}, {"--tp", &tp_, models}, {"--pp", &pp_, {"training", "prefill", "decode"}},
            {"--dp", &dp_, models}, {"--cp", &cp_, {"training", "prefill"}},
            {"--cp-kind", &cp_kind_, {"training", "prefill"}}, {"--ep", &ep_, models},
            {"--interleave", &interleave_, {"training"}}, {"--zero", &zero_, {"training"}},
            {"--recompute", &recompute_, {"training"}}, {"--gradient", &gradient_, {"training"}},
            {"--bucket", &bucket_, {"training"}}, {"--context", &context_, {"decode"}},
            {"--steps", &steps_, {"decode", "disaggregated"}}, {"--decode-tp", &decode_tp_, {"disaggregated"}},
            {"--decode-dp", &decode_dp_, {"disaggregated"}}, {"--decode-ep", &decode_ep_, {"disaggregated"}},
            {"--ops", &ops_, {"micro"}}, {"--sizes", &sizes_, {"micro"}}, {"--ranks", &ranks_, {"micro", "replicate"}},
            {"--iterations", &iterations_, {"micro"}}, {"--trace", &trace_, {"replicate"}},
            {"--group", &group_, {"replicate"}}};
        const auto of_kind = [&](const std::vector<std::string>& kinds) {
            return std::find(kinds.begin(), kinds.end(), kind_) != kinds.end();
        };
        for (const Owner& owner : owners)
            if (!owner.value->empty() && !of_kind(owner.kinds))
                throw usage_error(fmt::format("option '{}' with the workload {}", owner.option, kind_),
                    one_of(owner.kinds));
        const std::vector<std::string> whole{"training", "prefill", "disaggregated"};
        if (sp_ && !of_kind(models)) throw usage_error("option '--sp' with the workload " + kind_, one_of(models));
        // A step of decode has one token, which sees all before it.
        if (causal_ && !of_kind(whole))
            throw usage_error("option '--causal' with the workload " + kind_, one_of(whole));
    }

    // Said before traces are made, not behind the first of them.
    void require_folder() const
    {
        const std::filesystem::path folder = std::filesystem::path(prefix_).parent_path();
        std::error_code error;
        if (!folder.empty() && !std::filesystem::is_directory(folder, error))
            throw InputError(folder.string(), 0, "no such folder",
                "a folder for the traces " + std::filesystem::path(prefix_).filename().string() + ".0.et, ...");
    }

    // Traces of an earlier set with more ranks would be read as part of this one.
    void refuse_larger_set(std::uint32_t ranks) const
    {
        const std::string next = prefix_ + "." + std::to_string(ranks) + ".et";
        std::error_code error;
        if (std::filesystem::exists(next, error))
            throw InputError(next, 0,
                "belongs to an earlier set with more ranks; this set has " + std::to_string(ranks),
                "another prefix, or remove that file");
    }

    // The recording that is read, or a second output, may be one of the traces.
    void try_traces(std::uint32_t ranks, const OutputFile& json) const
    {
        std::error_code error;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            const std::string path = prefix_ + "." + std::to_string(rank) + ".et";
            if (path == json.path() || std::filesystem::exists(path, error)) claim_output_file(path);
        }
    }

    static std::uint64_t number(const char* option, const std::string& value, std::uint64_t otherwise,
        std::uint64_t low = 1, std::uint64_t high = 1'000'000'000)
    {
        return value.empty() ? otherwise : number_option(option, value, low, high);
    }
    static std::uint32_t size(const char* option, const std::string& value)
    {
        return static_cast<std::uint32_t>(number(option, value, 1, 1, most_of_a_dimension));
    }

    Options options(const Model& model) const
    {
        Options out;
        out.parallel.tensor = size("--tp", tp_);
        out.parallel.pipeline = size("--pp", pp_);
        out.parallel.data = size("--dp", dp_);
        out.parallel.context = size("--cp", cp_);
        out.parallel.expert = size("--ep", ep_);
        out.parallel.interleave = size("--interleave", interleave_);
        out.parallel.sequence = sp_;
        out.parallel.zero = static_cast<std::uint32_t>(number("--zero", zero_, 0, 0, 3));
        if (!cp_kind_.empty()) check_choice("--cp-kind", cp_kind_, {"ring", "all_gather"});
        out.parallel.context_kind =
            cp_kind_ == "all_gather" ? workload::ContextKind::all_gather : workload::ContextKind::ring;
        const bool replicated = out.parallel.data * out.parallel.context > 1;
        if (sp_ && out.parallel.tensor < 2) throw usage_error("option '--sp' without --tp", "--tp 2 or more with it");
        if (!cp_kind_.empty() && out.parallel.context < 2)
            throw usage_error("option '--cp-kind' without --cp", "--cp 2 or more with it");
        if (!bucket_.empty() && !replicated)
            throw usage_error("option '--bucket' with one replica, which reduces no gradients",
                "--dp 2 or more with it");
        if (out.parallel.zero > 0 && !replicated)
            throw usage_error("option '--zero' with one replica, which has nobody to divide its state with",
                "--dp 2 or more with it");
        out.sequence = number("--sequence", sequence_, 0);
        out.microbatch = number("--microbatch", microbatch_, 1, 1, 1'000'000);
        out.microbatches = number("--microbatches", microbatches_, 1, 1, 100'000);
        out.element_bytes = number("--element", element_, model.kind == ModelKind::dlrm ? 4 : 2, 1, 8);
        out.gradient_bytes = number("--gradient", gradient_, 4, 1, 8);
        out.bucket_asked = !bucket_.empty();
        if (out.bucket_asked) out.bucket_bytes = bytes_option("--bucket", bucket_);
        if (!recompute_.empty()) check_choice("--recompute", recompute_, {"none", "selective", "full"});
        out.recompute = recompute_ == "full" ? workload::Recompute::full
            : recompute_ == "selective"      ? workload::Recompute::selective
                                             : workload::Recompute::none;
        out.causal_half = causal_;
        out.cached = number("--context", context_, 0);
        out.steps = number("--steps", steps_, 1, 1, 100'000);
        return out;
    }

    workload::TraceJob make_job(WorkloadPage& page) const
    {
        if (kind_ == "micro") return micro(page);
        if (kind_ == "replicate") return replicate(page);
        if (model_.empty())
            throw usage_error("no model", "--model NAME, a name that 'weft workload --list' shows or a file");
        Model model = workload::load_model(model_);
        if (!layers_.empty()) {
            if (model.kind != ModelKind::transformer)
                throw usage_error("option '--layers' with a model that is not a transformer", "no --layers");
            model.transformer.layers = number_option("--layers", layers_, 1, 100'000);
            model.transformer.dense_layers = std::min(model.transformer.dense_layers, model.transformer.layers);
        }
        const Options of = options(model);
        page.parameters = workload::parameters(model);
        if (model.kind == ModelKind::transformer)
            page.active_parameters = workload::active_parameters(model.transformer);
        const workload::Parallel& parallel = of.parallel;
        const std::string cut =
            layers_.empty() ? "" : " with " + layers_ + (model.transformer.layers == 1 ? " layer" : " layers");
        page.title = fmt::format("{} of {}{}: {} ranks = TP {} x CP {} x DP {} x PP {}", kind_, model.name, cut,
            parallel.ranks(), parallel.tensor, parallel.context, parallel.data, parallel.pipeline);
        const std::uint64_t sequence = of.sequence > 0 ? of.sequence : model.transformer.sequence;
        if (model.kind == ModelKind::transformer)
            page.tokens = of.microbatch * of.microbatches * parallel.data * (kind_ == "decode" ? of.steps : sequence);
        if (kind_ == "training") return workload::training_job(model, of);
        if (kind_ == "prefill") return workload::prefill_job(model, of);
        if (kind_ == "decode") {
            if (context_.empty())
                throw usage_error("the context of the decode step is missing",
                    "--context N, the tokens that each sequence has");
            return workload::decode_job(model, of);
        }
        workload::Disaggregated both{of, of};
        both.decode.parallel.tensor = size("--decode-tp", decode_tp_);
        both.decode.parallel.data = size("--decode-dp", decode_dp_);
        both.decode.parallel.expert = size("--decode-ep", decode_ep_);
        page.title = fmt::format(
            "disaggregated inference of {}{}: {} prompt instances of TP {}, {} decode instances of TP {}", model.name,
            cut, parallel.data, parallel.tensor, both.decode.parallel.data, both.decode.parallel.tensor);
        return workload::disaggregated_job(model, both);
    }

    workload::TraceJob micro(WorkloadPage& page) const
    {
        workload::MicroOptions of;
        for (const std::string_view operation : comma_list(ops_.empty() ? "all_reduce" : std::string_view(ops_)))
            of.operations.emplace_back(operation);
        of.sizes = size_list(sizes_.empty() ? "8B:64MiB:2" : sizes_);
        if (ranks_.empty()) throw usage_error("no ranks", "--ranks N,..., such as 2,4,8");
        for (const std::string_view item : comma_list(ranks_))
            of.ranks.push_back(
                static_cast<std::uint32_t>(number_option("--ranks", std::string(item), 1, most_of_a_dimension)));
        of.iterations = number("--iterations", iterations_, 1, 1, 1000);
        page.title = fmt::format("{} collectives of {} sizes, {} times each", of.operations.size(), of.sizes.size(),
            of.iterations);
        return workload::micro_job(of);
    }

    workload::TraceJob replicate(WorkloadPage& page) const
    {
        if (trace_.empty()) throw usage_error("no trace", "--trace FILE, the trace of one rank");
        const auto ranks = static_cast<std::uint32_t>(number("--ranks", ranks_, 0, 1, most_of_a_dimension));
        if (ranks == 0) throw usage_error("no ranks", "--ranks N");
        page.title = fmt::format("{} on {} ranks", trace_, ranks);
        return workload::replicated_job(trace_, ranks, group_.empty() ? 0 : size("--group", group_));
    }

    std::string kind_, prefix_, json_, model_, layers_, sequence_, microbatch_, microbatches_, element_;
    std::string tp_, pp_, dp_, cp_, cp_kind_, ep_, interleave_, zero_, recompute_, gradient_, bucket_;
    std::string context_, steps_, decode_tp_, decode_dp_, decode_ep_, ops_, sizes_, ranks_, iterations_, trace_, group_;
    bool list_ = false;
    bool sp_ = false;
    bool causal_ = false;
};

}  // namespace

int workload_command(const Arguments& arguments)
{
    CommandLine line("workload",
        "Writes Chakra traces without a recording: a step of training or inference from a model's parameters, the "
        "collectives of a benchmark, or the recording of one rank on many ranks. Prints operations, parameters and "
        "bytes by purpose. docs/workloads.md has every formula.\n\n"
        "  weft workload training --model llama3_70b --tp 8 --pp 4 --microbatches 8 -o step\n"
        "  weft run SYSTEM --trace step --groups step_groups.json --fidelity flow\n"
        "  weft workload micro --ops all_reduce,all_gather --sizes 64KiB:16MiB:4 --ranks 4,8 -o bench\n");
    WorkloadCommand command;
    command.add(line);
    if (!line.parse(arguments)) return exit_good;
    return command.run();
}

}  // namespace weft
