// Declarations of parameters: types of members, values as text, what is wrong with a declaration, sets of values.
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/parameter_block.h"
#include "base/parameter_kinds.h"

namespace weft::parameter_block_test {
namespace {

enum class Policy : std::uint8_t { strict, aged, random };

struct Sample {
    std::uint64_t entries = 8;
    std::uint64_t size = 4096;
    std::uint64_t delay = 70'000;
    std::uint64_t pace = 25'000'000'000;
    Policy policy = Policy::aged;
    bool watch = true;
    double share = 0.25;
    double part = 0.5;

    static const ParameterTable<Sample>& parameters()
    {
        static const ParameterTable<Sample> table({"sample", BlockOwner::forwarder, "a block for tests"},
            {count_parameter("entries", &Sample::entries, {1, 64}, "of a table"),
                bytes_parameter("size", &Sample::size, {64, 65536}, "of a buffer"),
                time_parameter("delay", &Sample::delay, {0, 1'000'000}, "of a wire", "a data sheet"),
                rate_parameter("pace", &Sample::pace, {1'000'000, 1'000'000'000'000}, "of an output"),
                choice_parameter("policy", &Sample::policy, {"strict", "aged", "random"}, "who goes first"),
                flag_parameter("watch", &Sample::watch, "whether it looks"),
                real_parameter("share", &Sample::share, {0, 1.5}, "of the time"),
                real_parameter("part", &Sample::part, 0.25, 2, "as plug-ins had it")});
        return table;
    }
};

struct Other {
    std::uint64_t depth = 1;

    static const ParameterTable<Other>& parameters()
    {
        static const ParameterTable<Other> table({"other", BlockOwner::link, "another"},
            {count_parameter("depth", &Other::depth, {1, 4}, "of it")});
        return table;
    }
};

const ParameterInfo& info(const char* name) { return Sample::parameters().find(name)->info; }

std::string shown(const char* name, const char* text)
{
    const auto value = parse_value(info(name), text);
    return value ? format_value(info(name), *value) : "none";
}

}  // namespace

TEST(ParameterBlock, DefaultsAreTheInitialisersOfTheMembers)
{
    const BlockInfo block = block_info<Sample>();
    EXPECT_EQ(block.name(), "sample");
    EXPECT_EQ(block.parameter_names(),
        (std::vector<std::string>{"entries", "size", "delay", "pace", "policy", "watch", "share", "part"}));
    std::string text;
    for (std::size_t i = 0; i < block.parameters.size(); ++i)
        text += format_value(*block.parameters[i], block.defaults[i]) + "|";
    EXPECT_EQ(text, "8|4 KiB|70 ns|25 GB/s|aged|on|0.25|0.5|");
    EXPECT_EQ(block.path_of(4), "sample.policy");
    EXPECT_TRUE(declaration_problems(block).empty());
}

TEST(ParameterBlock, EachMemberKeepsItsType)
{
    std::vector<std::uint64_t> values = block_info<Sample>().defaults;
    values[4] = *parse_value(info("policy"), "random");
    values[5] = *parse_value(info("watch"), "off");
    values[6] = *parse_value(info("share"), "1.5");
    const Sample sample = spec_from<Sample>(values);
    EXPECT_EQ(sample.policy, Policy::random);
    EXPECT_FALSE(sample.watch);
    EXPECT_EQ(sample.share, 1.5);
    EXPECT_EQ(sample.pace, 25'000'000'000U);
}

TEST(ParameterBlock, TextOfFlagsAndRealNumbers)
{
    for (const char* yes : {"on", "true", "yes", "1"}) EXPECT_EQ(shown("watch", yes), "on") << yes;
    for (const char* no : {"off", "false", "no", "0"}) EXPECT_EQ(shown("watch", no), "off") << no;
    EXPECT_EQ(shown("watch", "perhaps"), "none");
    EXPECT_EQ(shown("share", "0.5"), "0.5");
    EXPECT_EQ(shown("share", "-0"), "0");
    for (const char* wrong : {"", "-1", "1e400", "nan", "0.5x", "half"})
        EXPECT_EQ(shown("share", wrong), "none") << wrong;
    EXPECT_EQ(describe_range(info("share")), "0 to 1.5");
    EXPECT_EQ(describe_range(info("part")), "0.25 to 2");
    EXPECT_EQ(describe_range(info("watch")), "on or off");
    // The order of their bits is that of the numbers: ranges compare them.
    EXPECT_LT(*parse_value(info("share"), "1e-9"), *parse_value(info("share"), "0.5"));
    EXPECT_LT(*parse_value(info("share"), "1"), *parse_value(info("share"), "1.5"));
}

TEST(ParameterBlock, AWrongDeclarationIsNamed)
{
    BlockInfo block = block_info<Sample>();
    const auto with = [&](std::size_t i, ParameterInfo changed) {
        static std::vector<std::unique_ptr<ParameterInfo>> kept;
        kept.push_back(std::make_unique<ParameterInfo>(std::move(changed)));
        BlockInfo out = block_info<Sample>();
        out.parameters[i] = kept.back().get();
        std::string all;
        for (const std::string& problem : declaration_problems(out)) all += problem + "\n";
        return all;
    };
    ParameterInfo entries = info("entries");
    entries.high = 4;
    EXPECT_EQ(with(0, entries), "the default of parameter sample.entries is out of its range\n");
    entries.low = 9;
    EXPECT_EQ(with(0, entries),
        "parameter sample.entries has a range that holds nothing\nthe default of parameter sample.entries is out of "
        "its range\n");
    ParameterInfo size = info("size");
    size.name = "entries";
    size.text = "";
    EXPECT_EQ(with(1, size), "parameter sample.entries is declared twice\nparameter sample.entries has no text\n");
    ParameterInfo policy = info("policy");
    policy.choices.pop_back();
    EXPECT_EQ(with(4, policy), "parameter sample.policy has not one name for each choice\n");
    block.title.name = "a.b";
    EXPECT_EQ(declaration_problems(block),
        std::vector<std::string>{"the name of block 'a.b' is not a word of letters, digits and _"});
}

TEST(ParameterSet, HoldsTheBlocksOfAModuleByTypeAndByPath)
{
    ParameterSet set;
    EXPECT_THROW(set.get<Sample>(), std::logic_error);
    const auto sample = std::make_shared<const BlockInfo>(block_info<Sample>());
    set.put(sample, sample->make(sample->defaults));
    EXPECT_EQ(set.get<Sample>().delay, 70'000U);
    EXPECT_EQ(set.value("sample.policy"), 1U);
    EXPECT_EQ(set.value("sample.pace"), 25'000'000'000U);
    for (const char* wrong : {"sample.speed", "other.depth", "sample", ""})
        EXPECT_THROW(set.value(wrong), std::logic_error) << wrong;
    EXPECT_THROW(set.get<Other>(), std::logic_error);

    const ParameterSet before = set;
    Sample changed = set.get<Sample>();
    changed.delay = 1;
    set.replace(changed);
    EXPECT_EQ(set.value("sample.delay"), 1U);
    EXPECT_EQ(before.value("sample.delay"), 70'000U);
    EXPECT_THROW(set.replace(Other{}), std::logic_error);
}

}  // namespace weft::parameter_block_test
