#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/applications/sweep/sweep_points.h"

namespace sweep_points_test {

using namespace weft;

namespace {

std::string refusal(const std::vector<std::string>& axes, const Arguments& given = {})
{
    try {
        parse_axes(axes, given);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(SweepPoints, AreAllCombinationsTheLastKeyFastest)
{
    const auto axes = parse_axes({"bytes=1KiB,2KiB", "l2.size=1MiB,2MiB,4MiB"}, {});
    ASSERT_EQ(axes.size(), 2u);
    EXPECT_EQ(axes[0].kind, SweepAxis::Kind::option);
    EXPECT_EQ(axes[1].kind, SweepAxis::Kind::parameter);
    const auto points = combine(axes);
    ASSERT_EQ(points.size(), 6u);
    EXPECT_EQ(points[0], (SweepPoint{"1KiB", "1MiB"}));
    EXPECT_EQ(points[1], (SweepPoint{"1KiB", "2MiB"}));
    EXPECT_EQ(points[5], (SweepPoint{"2KiB", "4MiB"}));
    EXPECT_EQ(point_arguments(axes, points[4]), (Arguments{"--bytes=2KiB", "--set=l2.size=2MiB"}));
    const auto systems = parse_axes({"system=a.yaml,b.yaml", "fidelity=line,flow"}, {});
    EXPECT_EQ(point_arguments(systems, combine(systems)[3]), (Arguments{"b.yaml", "--fidelity=flow"}));
}

TEST(SweepPoints, CommasInListsOfNumbersAreOfTheValue)
{
    const auto axes = parse_axes({"fidelity=line,mixed:dgx.0.xpu.[0,2],mixed:dgx.[0-1,3].xpu.0"}, {});
    EXPECT_EQ(axes[0].values, (std::vector<std::string>{"line", "mixed:dgx.0.xpu.[0,2]", "mixed:dgx.[0-1,3].xpu.0"}));
    // Of the key, too.
    EXPECT_EQ(parse_axes({"dgx.0.xpu.[0,2].l2.size=1MiB,2MiB"}, {})[0].values,
        (std::vector<std::string>{"1MiB", "2MiB"}));
}

TEST(SweepPoints, RefuseWhatIsMalformed)
{
    EXPECT_EQ(refusal({}), "weft: --over is missing; expected --over KEY=V1,V2,...");
    EXPECT_EQ(refusal({"bytes"}),
        "weft: --over 'bytes' names no values; expected KEY=V1,V2,..., such as "
        "bytes=1MiB,2MiB or l2.size=20MiB,40MiB");
    for (const std::string text : {"bytes=", "bytes=1,", "bytes=,1", "bytes=1,,2"})
        EXPECT_EQ(refusal({text}),
            "weft: --over '" + text +
                "' has an empty value; expected KEY=V1,V2,..., such as "
                "bytes=1MiB,2MiB or l2.size=20MiB,40MiB");
    EXPECT_EQ(refusal({"byte=1"}),
        "weft: unknown key 'byte' of '--over'; expected a parameter such as l2.size, model:GLOB, or "
        "one of system, collective, plan, bytes, algorithm, ranks, element, reduction, root, rings, pipeline, delay, "
        "profile, seed, fidelity, grain (did you mean 'bytes'?)");
    EXPECT_EQ(refusal({"bytes=1", "bytes=2"}), "weft: --over names 'bytes' twice; expected each key once");
    EXPECT_EQ(refusal({"bytes=1"}, {"--bytes=4"}),
        "weft: both --bytes and --over bytes are given; expected one of them");
    EXPECT_EQ(refusal({"l2.latency=60ns,100ns"}, {"--set=l2.latency=500ns"}),
        "weft: both --set l2.latency and --over l2.latency are given; expected one of them");
    std::string many = "seed=0";
    for (int i = 1; i < 400; ++i) many += "," + std::to_string(i);
    EXPECT_EQ(refusal({many, "l2.size=1,2", "bytes=1"}), "");
    std::string more = many;
    more.replace(0, 4, "root");
    EXPECT_EQ(refusal({many, more}), "weft: the sweep has more than 100000 points; expected fewer values");
}

}  // namespace sweep_points_test
