// Trace sets as files: our own reader takes them back unchanged, finds them runnable, and refuses planted defects.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "collectives/chakra/trace_file.h"
#include "collectives/chakra/validate.h"
#include "collectives/workload/model_reader.h"
#include "collectives/workload/trace_report.h"
#include "testbenches/support/scratch_folder.h"

namespace trace_files_test {

using namespace weft;
using namespace weft::workload;
using chakra::Node;
using chakra::NodeType;

namespace {

const char* const text_of_small = "model: small\nkind: transformer\nlayers: 4\nhidden: 64\nheads: 8\nkv_heads: 4\nffn: "
                                  "256\nvocabulary: 512\nsequence: 32\n";
const char* const text_of_experts = "model: e\nkind: transformer\nlayers: 4\nhidden: 64\nheads: 8\nexperts: 8\ntop_k: "
                                    "2\nshared_experts: 1\nexpert_ffn: 128\nvocabulary: 512\nsequence: 32\n";

Options small_options(std::uint32_t t, std::uint32_t p, std::uint32_t n, std::uint32_t c)
{
    Options options;
    options.parallel.tensor = t;
    options.parallel.pipeline = p;
    options.parallel.data = n;
    options.parallel.context = c;
    options.microbatches = 4;
    return options;
}

std::vector<std::pair<std::string, TraceJob>> jobs()
{
    const Model model = read_model("small", text_of_small);
    const Model experts = read_model("experts", text_of_experts);
    std::vector<std::pair<std::string, TraceJob>> out;
    for (const std::uint32_t zero : {0u, 1u, 2u, 3u}) {
        Options options = small_options(2, 2, 2, 2);
        options.parallel.zero = zero;
        options.parallel.sequence = zero % 2 == 1;
        options.parallel.context_kind = zero < 2 ? ContextKind::ring : ContextKind::all_gather;
        options.recompute = static_cast<Recompute>(zero % 3);
        out.emplace_back("training zero " + std::to_string(zero), training_job(model, options));
    }
    Options interleaved = small_options(2, 2, 1, 1);
    interleaved.parallel.interleave = 2;
    out.emplace_back("interleaved", training_job(model, interleaved));
    Options spread = small_options(2, 2, 4, 1);
    spread.parallel.expert = 4;
    spread.parallel.sequence = true;
    out.emplace_back("experts", training_job(experts, spread));
    out.emplace_back("prefill", prefill_job(model, small_options(2, 2, 2, 2)));
    Options steps = small_options(2, 2, 2, 1);
    steps.cached = 100;
    steps.steps = 3;
    out.emplace_back("decode", decode_job(model, steps));
    Options few = small_options(1, 1, 1, 1);  // 6 pairs of token and expert, which meet 5 experts
    few.microbatch = 3;
    few.microbatches = 1;
    few.cached = 10;
    out.emplace_back("few tokens of experts", decode_job(experts, few));
    Disaggregated both{small_options(4, 1, 2, 1), small_options(2, 1, 2, 1)};
    both.decode.steps = 2;
    out.emplace_back("disaggregated", disaggregated_job(model, both));
    out.emplace_back("dlrm", [] {
        Options options;
        options.parallel.data = 4;
        options.element_bytes = 4;
        return training_job(load_model("dlrm_dcnv2"), options);
    }());
    out.emplace_back("cnn", [] {
        Options options;
        options.parallel.data = 4;
        return training_job(load_model("resnet50"), options);
    }());
    out.emplace_back("micro", micro_job({micro_operations(), {64, 4096}, {2, 4}, 2}));
    return out;
}

// Writes a job's files below a prefix; `spoil` may change a file's bytes.
chakra::Verdict written_and_read(const TraceJob& job,
    const std::function<void(const std::string&, std::string&)>& spoil = {})
{
    const test::ScratchFolder folder;
    const std::string prefix = folder.file("t");
    bool groups = false;
    carry_out(job, [&](const std::string& name, const std::string& bytes) {
        std::string written = bytes;
        if (spoil) spoil(name, written);
        groups = groups || name == "_groups.json";
        write_text_file(prefix + name, written);
    });
    chakra::TraceSetOptions options;
    options.ranks = job.ranks;
    if (groups) options.group_file = prefix + "_groups.json";
    return chakra::validate(chakra::TraceSet::open(prefix, options));
}

bool same(const Node& a, const Node& b)
{
    return a.id == b.id && a.name == b.name && a.type == b.type && a.data_deps == b.data_deps &&
        a.ctrl_deps == b.ctrl_deps && a.duration_ps == b.duration_ps && a.on_cpu == b.on_cpu &&
        a.num_ops == b.num_ops && a.tensor_size == b.tensor_size && a.comm_type == b.comm_type &&
        a.comm_size == b.comm_size && a.src == b.src && a.dst == b.dst && a.tag == b.tag && a.group == b.group &&
        a.priority == b.priority && a.involved_dim == b.involved_dim && a.product.m == b.product.m &&
        a.product.n == b.product.n && a.product.k == b.product.k && a.product.count == b.product.count;
}

}  // namespace

TEST(TraceFiles, AreReadBackAsTheyWereMade)
{
    const test::ScratchFolder folder;
    for (const auto& [name, job] : jobs())
        for (const std::uint32_t rank : {0u, job.ranks - 1}) {
            const std::vector<Node> nodes = job.trace(rank).nodes();
            write_text_file(folder.file("x.et"), chakra::trace_bytes(nodes));
            const auto reader = chakra::open_trace_file(folder.file("x.et"));
            EXPECT_EQ(reader->metadata().version, "0.0.4");
            std::size_t read = 0;
            Node node;
            for (; reader->next(node); node = Node(), ++read) {
                ASSERT_LT(read, nodes.size());
                EXPECT_TRUE(same(node, nodes[read])) << name << ", node " << read;
            }
            EXPECT_EQ(read, nodes.size()) << name;
        }
}

// Every send has its receive, groups agree on their collectives, nothing waits in a circle.
TEST(TraceFiles, OfEveryKindCanRun)
{
    for (const auto& [name, job] : jobs()) {
        const chakra::Verdict verdict = written_and_read(job);
        EXPECT_TRUE(verdict.runnable()) << name << ": "
                                        << (verdict.problems.empty() ? "" : verdict.problems.front().text());
        for (const Diagnostic& notice : verdict.notices)
            EXPECT_EQ(notice.what.find("product of matrices"), std::string::npos) << name << ": " << notice.what;
    }
}

TEST(TraceFiles, WithAPlantedDefectCannot)
{
    const TraceJob job = training_job(read_model("small", text_of_small), small_options(2, 2, 1, 1));
    // The last rank's file in the place of its neighbour's: sends of another rank, groups without this one.
    const std::string last = chakra::trace_bytes(job.trace(3).nodes());
    EXPECT_FALSE(written_and_read(job, [&](const std::string& name, std::string& bytes) {
        if (name == ".2.et") bytes = last;
    }).runnable());
    // A receive less.
    std::vector<Node> nodes = job.trace(2).nodes();
    nodes.erase(std::find_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.type == NodeType::recv; }));
    EXPECT_FALSE(written_and_read(job, [&](const std::string& name, std::string& bytes) {
        if (name == ".2.et") bytes = chakra::trace_bytes(nodes);
    }).runnable());
}

TEST(TraceFiles, AreTheSameBytesEveryTime)
{
    const auto first = jobs();
    const auto second = jobs();
    for (std::size_t i = 0; i < first.size(); ++i)
        for (const std::uint32_t rank : {0u, first[i].second.ranks - 1})
            EXPECT_EQ(chakra::trace_bytes(first[i].second.trace(rank).nodes()),
                chakra::trace_bytes(second[i].second.trace(rank).nodes()))
                << first[i].first;
}

// The wire, byte for byte, as the format's example has it: rank 1 of ASTRA-sim's all-reduce of 1 MiB.
TEST(TraceFiles, HaveTheBytesOfTheFormat)
{
    Node node;
    node.id = 1;
    node.name = "all_reduce_4npus_1MB";
    node.type = NodeType::coll;
    node.comm_type = chakra::CollectiveType::all_reduce;
    node.comm_size = 1'048'576;
    const std::string bytes = chakra::trace_bytes({node});
    const std::string metadata("\x07\x0a\x05"
                               "0.0.4",
        8);
    const std::string head("\x4a\x08\x01\x12\x14"
                           "all_reduce_4npus_1MB"
                           "\x18\x07",
        27);
    const std::string attributes("\x52\x0e\x0a\x09"
                                 "is_cpu_op"
                                 "\xd8\x01\x00"
                                 "\x52\x0d\x0a\x09"
                                 "comm_type"
                                 "\x48\x00"
                                 "\x52\x0f\x0a\x09"
                                 "comm_size"
                                 "\x48\x80\x80\x40",
        48);
    EXPECT_EQ(bytes, metadata + head + attributes);
}

TEST(TraceFiles, DurationsAreWholeMicroseconds)
{
    Node node;
    node.duration_ps = 1'500'000;
    EXPECT_THROW(chakra::trace_bytes({node}), std::invalid_argument);
}

TEST(Replication, CopiesARecordingAndItsGroups)
{
    const test::ScratchFolder folder;
    Node compute;
    compute.id = 7;
    compute.name = "k";
    compute.type = NodeType::comp;
    compute.duration_ps = 3'000'000;
    Node reduce;
    reduce.id = 9;
    reduce.type = NodeType::coll;
    reduce.comm_type = chakra::CollectiveType::all_reduce;
    reduce.comm_size = 4096;
    reduce.data_deps = {7};
    const std::string path = folder.file("one.0.et");
    write_text_file(path, chakra::trace_bytes({compute, reduce}));
    const TraceJob all = replicated_job(path, 6, 0);
    EXPECT_TRUE(written_and_read(all).runnable());
    EXPECT_EQ(chakra::trace_bytes(all.trace(5).nodes()), chakra::trace_bytes({compute, reduce}));
    const TraceJob halves = replicated_job(path, 6, 3);
    EXPECT_EQ(halves.groups, (chakra::GroupDefinitions{{1, {0, 1, 2}}, {2, {3, 4, 5}}}));
    EXPECT_EQ(halves.trace(4).nodes()[1].group, "2");
    EXPECT_TRUE(written_and_read(halves).runnable());
    EXPECT_THROW(replicated_job(path, 6, 4), InputError);
    Node send;
    send.id = 1;
    send.type = NodeType::send;
    send.dst = 1;
    send.tag = 1;
    send.comm_size = 8;
    write_text_file(path, chakra::trace_bytes({send}));
    EXPECT_THROW(replicated_job(path, 2, 0), InputError);
    reduce.group = "3";
    write_text_file(path, chakra::trace_bytes({compute, reduce}));
    EXPECT_THROW(replicated_job(path, 2, 0), InputError);
}

TEST(Microbenchmarks, RunEveryCollectiveSizeAndNumberOfRanks)
{
    const TraceJob job = micro_job({{"all_reduce", "all_gather"}, {1024, 2048}, {2, 4}, 3});
    EXPECT_EQ(job.ranks, 4u);
    // A barrier where the number of ranks changes.
    EXPECT_EQ(job.trace(0).nodes().size(), 2u * 2 * 2 * 3 + 3);
    EXPECT_EQ(job.trace(3).nodes().size(), 2u * 2 * 3 + 3);
    // An all-gather's comm_size is one rank's part.
    EXPECT_EQ(job.trace(3).nodes().back().comm_size, 2048u / 4);
    EXPECT_THROW(micro_job({{"all_gather"}, {1023}, {2}, 1}), InputError);
    EXPECT_THROW(micro_job({{"all_reduces"}, {1024}, {2}, 1}), InputError);
}

}  // namespace trace_files_test
