// The table of blocks, and blocks that models bring: paths, ranges, places of errors, who has which.
#include <set>

#include <gtest/gtest.h>

#include "base/parameter_kinds.h"
#include "platform/configuration/explain.h"
#include "testbenches/config/support.h"

namespace weft::blocks_test {
namespace {

enum class Policy : std::uint8_t { strict, aged };

struct FastSpec {
    Policy policy = Policy::strict;
    std::uint64_t pace = 25'000'000'000;

    static const ParameterTable<FastSpec>& parameters()
    {
        static const ParameterTable<FastSpec> table({"fast", BlockOwner::forwarder, "a switch of somebody else"},
            {choice_parameter("policy", &FastSpec::policy, {"strict", "aged"}, "who goes first"),
                rate_parameter("pace", &FastSpec::pace, {1'000'000, 1'000'000'000'000}, "of an output",
                    "its data sheet, page 3")});
        return table;
    }
};

struct WireSpec {
    std::uint64_t skew = 0;

    static const ParameterTable<WireSpec>& parameters()
    {
        static const ParameterTable<WireSpec> table({"wire", BlockOwner::link, "a link of somebody else"},
            {time_parameter("skew", &WireSpec::skew, {0, 1'000'000}, "between its lanes")});
        return table;
    }
};

std::shared_ptr<const BlockInfo> block_of_model(BlockInfo info, const char* model)
{
    info.models = {model};
    info.kind = info.title.owner == BlockOwner::link ? "link" : "switch";
    return std::make_shared<const BlockInfo>(std::move(info));
}

// Models fast (a switch) and wire (a link) with blocks of their own.
KnownNames known()
{
    KnownNames out;
    out.models = {{"gpu", {"gpu"}}, {"switch", {"fast", "switch"}}, {"link", {"link", "wire"}}};
    out.blocks = BlockTable::built_in()->with(
        {block_of_model(block_info<FastSpec>(), "fast"), block_of_model(block_info<WireSpec>(), "wire")});
    return out;
}

// The first switch is fast.
ResolvedSystem with(const std::vector<std::string>& sets, const std::string& lines = "")
{
    return resolved("bind: [{nodes: \"*.nvsw.0\", model: fast}]\n" + lines, sets, small_box, known());
}

NodeId node(const ResolvedSystem& system, const char* name) { return *system.graph().find(name); }

}  // namespace

TEST(Blocks, EveryDeclarationOfWeftIsWhole)
{
    const BlockTable& blocks = *BlockTable::built_in();
    EXPECT_EQ(blocks.names(),
        (std::vector<std::string>{"gpu", "network", "l1", "l2", "memory_side", "hbm", "copy", "bulk", "switch", "link",
            "engine", "routing"}));
    for (const Block block : blocks.all())
        for (const std::string& problem : declaration_problems(blocks[block])) ADD_FAILURE() << problem;
}

TEST(Blocks, ATableTakesNoNameTwice)
{
    const auto named = [](const char* name) {
        BlockInfo info = block_info<FastSpec>();
        info.title.name = name;
        return error_of([&] { BlockTable::built_in()->with({block_of_model(info, "fast")}); });
    };
    EXPECT_EQ(named("faster"), "");
    EXPECT_EQ(named("l2"), "the name 'l2' of a block of parameters is taken; expected another name");
    EXPECT_EQ(named("links"), "the name 'links' of a block of parameters is taken; expected another name");
    EXPECT_NE(named("a.b").find("is not a word of letters, digits and _"), std::string::npos);
}

// A model that declares which parameters of Weft it reads is listed with those, and told of others that are set in vain.
TEST(Blocks, AModelCountsWhatItDeclaresToRead)
{
    KnownNames names = known();
    const auto explained_with = [&](const BlockTable::Reads& reads, const std::vector<std::string>& sets) {
        names.blocks = BlockTable::built_in()->with(
            {block_of_model(block_info<FastSpec>(), "fast"), block_of_model(block_info<WireSpec>(), "wire")}, reads);
        return resolved("bind: [{nodes: \"*.nvsw.0\", model: fast}]\n", sets, small_box, names);
    };
    const auto listed = [](const ResolvedSystem& system, const std::string& path) {
        for (const ExplainedParameter& parameter : explained_parameters(system))
            if (parameter.path == path) return true;
        return false;
    };
    const ResolvedSystem any = explained_with({}, {});
    EXPECT_TRUE(listed(any, "box.0.nvsw.0.switch.arbiter"));
    EXPECT_TRUE(listed(any, "box.0.nvsw.0.switch.control_weight"));

    const BlockTable::Reads latency{{"fast", {"switch.latency"}}};
    const ResolvedSystem declared = explained_with(latency, {"box.0.nvsw.0.switch.control_weight=2"});
    EXPECT_TRUE(listed(declared, "box.0.nvsw.0.switch.latency"));
    EXPECT_TRUE(listed(declared, "box.0.nvsw.0.fast.pace"));
    EXPECT_FALSE(listed(declared, "box.0.nvsw.0.switch.arbiter"));
    EXPECT_FALSE(listed(declared, "box.0.nvsw.0.switch.control_weight"));
    EXPECT_TRUE(listed(declared, "box.0.nvsw.1.switch.arbiter"));  // a switch of Weft
    ASSERT_EQ(declared.notices.size(), 1U);
    EXPECT_EQ(declared.notices[0],
        "switch.control_weight is set and changes nothing: no model of the switches that it was set for reads it");
    EXPECT_EQ(explained_with(latency, {"switch.control_weight=2", "switch.arbiter=weighted"}).notices.size(),
        0U);  // others read it

    EXPECT_EQ(error_of([&] {
        explained_with({{"fast", {"switch.latenzy"}}}, {});
    }),
        "model 'fast' declares that it reads 'switch.latenzy', which is no parameter; expected a parameter of Weft "
        "(did "
        "you mean 'switch.latency'?)");
}

// What Weft reads around a link counts whatever its model declares.
TEST(Blocks, ALinkCountsWhatItsModelReadsAndWhatIsReadAroundIt)
{
    KnownNames names = known();
    names.blocks = BlockTable::built_in()->with(
        {block_of_model(block_info<FastSpec>(), "fast"), block_of_model(block_info<WireSpec>(), "wire")},
        {{"wire", {"link.flit"}}});
    const auto notices = [&](const std::string& set) {
        return resolved("", {"link.model=wire", set}, small_box, names).notices;
    };
    const ResolvedSystem system = resolved("", {"link.model=wire"}, small_box, names);
    EXPECT_EQ(system.notices, std::vector<std::string>());
    std::set<std::string> of_links;
    for (const ExplainedParameter& parameter : explained_parameters(system)) {
        const std::size_t at = parameter.path.rfind(".link.");
        if (at != std::string::npos) of_links.insert(parameter.path.substr(at + 6));
    }
    EXPECT_EQ(of_links,
        (std::set<std::string>{"bandwidth", "flit", "group_payload", "latency", "max_payload", "merge", "model",
            "pool_credits", "request_credits", "response_credits", "vc_sets", "vcs"}));
    for (const char* set : {"link.flit=32", "link.bandwidth=30GB/s", "link.latency=50ns", "link.request_credits=64",
             "link.response_credits=64", "link.pool_credits=8", "link.vcs=shared", "link.merge=destination"})
        EXPECT_EQ(notices(set), std::vector<std::string>()) << set;
    EXPECT_EQ(notices("link.header=32"),
        std::vector<std::string>{
            "link.header is set and changes nothing: no model of the links that it was set for reads it"});
}

TEST(Blocks, ANodeHasTheBlockOfItsModel)
{
    const ResolvedSystem system = with({});
    const Block fast = *system.blocks().find("fast");
    EXPECT_NE(system.variant(node(system, "box.0.nvsw.0"), fast), no_variant);
    for (const char* other : {"box.0.nvsw.1", "box.0.xpu.0", "box.0.cpu.0"})
        EXPECT_EQ(system.variant(node(system, other), fast), no_variant) << other;
    const ParameterSet parameters = system.parameters(node(system, "box.0.nvsw.0"));
    EXPECT_EQ(parameters.get<FastSpec>().policy, Policy::strict);
    EXPECT_EQ(parameters.value("fast.pace"), 25'000'000'000U);
    EXPECT_EQ(parameters.value("switch.latency"), system.switch_of(node(system, "box.0.nvsw.0")).latency);
}

TEST(Blocks, PathsOfAModelAreThoseOfOurs)
{
    for (const char* set : {"fast.policy=aged", "box.0.nvsw.0.fast.policy=aged", "box.*.nvsw.*.fast.policy=aged",
             "box.0.nvsw.*.policy=aged"}) {
        const ResolvedSystem system = with({set});
        EXPECT_EQ(explained(system, "box.0.nvsw.0", "fast.policy"), "aged | --set") << set;
        EXPECT_EQ(system.parameters(node(system, "box.0.nvsw.0")).get<FastSpec>().policy, Policy::aged) << set;
    }
    EXPECT_EQ(explained(with({}, "parameters: {fast.pace: 50 GB/s}\n"), "box.0.nvsw.0", "fast.pace"),
        "50 GB/s | system.yaml:3");
}

TEST(Blocks, ErrorsNameTheirPlace)
{
    EXPECT_EQ(error_of([] { with({}, "parameters: {fast.pace: 2 TB/s}\n"); }),
        "system.yaml:3: fast.pace = 2000 GB/s is out of range; expected 1 MB/s to 1000 GB/s");
    EXPECT_EQ(error_of([] { with({"fast.policy=oldest"}); }),
        "--set: 'oldest' is not a value of fast.policy; expected one of strict, aged");
    EXPECT_EQ(error_of([] { with({"fast.speed=1 GB/s"}); }).substr(0, 35), "--set: unknown parameter 'fast.spee");
    EXPECT_NE(error_of([] { with({"box.0.nvsw.1.fast.pace=1 GB/s"}); })
                  .find("'box.0.nvsw.1' has no block 'fast'; expected gpu, network, l1, l2, memory_side, hbm, copy, "
                        "bulk, switch on an xpu; "
                        "switch on nodes that forward; fast on model fast"),
        std::string::npos);
    EXPECT_EQ(error_of([] { resolved("", {"fast.pace=1 GB/s"}, small_box, known()); }),
        "--set: 'fast.pace' matches no parameter of this system; expected a block that a node or an edge has: none has "
        "'fast', that of model fast");
    // Without the model nobody knows the name.
    EXPECT_NE(error_of([] { resolved("", {"fast.pace=1 GB/s"}); }).find("unknown block 'fast'"), std::string::npos);
}

TEST(Blocks, AnExplanationSaysWhereADefaultComesFrom)
{
    const std::string text = explain(with({}));
    EXPECT_NE(text.find("    fast.pace                  25 GB/s          default: its data sheet, page 3\n"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("    fast.policy                strict           default\n"), std::string::npos) << text;
}

TEST(Blocks, AnEdgeHasTheBlockOfTheLinkThatStandsForIt)
{
    const ResolvedSystem none = with({});
    EXPECT_EQ(explain(none).find("wire.skew"), std::string::npos);
    const ResolvedSystem system = with({"links.xpu_fabric.model=wire", "wire.skew=5 ns"});
    const EdgeId fabric = *system.graph().find_edge(node(system, "box.0.xpu.0"), node(system, "box.0.nvsw.0"));
    EXPECT_EQ(system.link_parameters(fabric).get<WireSpec>().skew, 5'000U);
    EXPECT_NE(explain(system).find("    wire.skew                  5 ns             --set\n"), std::string::npos);
    EXPECT_TRUE(system.notices.empty());
    const EdgeId pcie = *system.graph().find_edge(node(system, "box.0.xpu.0"), node(system, "box.0.cpu.0"));
    EXPECT_THROW(system.link_parameters(pcie).get<WireSpec>(), std::logic_error);

    const ResolvedSystem idle = with({"wire.skew=5 ns"});
    ASSERT_EQ(idle.notices.size(), 1U);
    EXPECT_EQ(idle.notices[0],
        "wire.skew is set and changes nothing: it belongs to model wire, but none of the links for which it is set has "
        "that model");
}

}  // namespace weft::blocks_test
