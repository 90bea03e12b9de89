// The limit that a bandwidth row of the probe names: raising that parameter moves the row, raising another one does not.
#include <map>

#include <gtest/gtest.h>

#include "infragraph/load.h"
#include "platform/applications/probe/dram_banks.h"
#include "platform/applications/probe/measure.h"
#include "platform/applications/probe/report.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/configuration/tables/profile.h"
#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"

namespace probe_limits_test {

using namespace weft;
using weft::testing::in_child;

namespace {

using Sets = std::vector<std::string>;

// A GPU of few units on the usual board, with one neighbour or more.
ResolvedSystem small_system(const Sets& sets, unsigned gpus = 2, const KnownNames& known = {})
{
    std::string document = node_document("h100", "nvlink", PublishedTable::built_in().find("h100"));
    document.replace(document.find("count: 8"), 8, "count: " + std::to_string(gpus));
    SystemDescription description;
    description.infrastructure = "node.yaml";
    description.profile = "h100";
    for (const char* set : {"gpu.compute_units=4", "l2.partitions=1", "l2.slices=8", "l2.size=1MiB",
             "l2.bandwidth=400GB/s", "hbm.channels=8", "hbm.bandwidth=160GB/s"})
        description.sets.push_back(parse_set(set));
    for (const std::string& set : sets) description.sets.push_back(parse_set(set));
    LoadedGraph loaded = load_infrastructure_text("node.yaml", document);
    return resolve(description, std::make_shared<const Graph>(std::move(loaded.graph)), known);
}

double simulated(const std::string& row, const Sets& sets)
{
    const ProbePart part = find_probe_row(row)->part;
    const std::string text = in_child([&] { return part_json(measure(part, small_system(sets), ModelRegistry())); });
    if (text.empty()) return 0;
    for (const auto& [name, value] : part_from_json(text).values)
        if (name == row) return value;
    return 0;
}

struct Case {
    std::string row;
    Sets sets;
    std::string parameter;  // that is named
    std::string raised;     // a higher value of it
    std::string other;      // a higher value of another one
};

void expect_bound(const Case& one)
{
    const auto with = [&](const std::string& set) {
        Sets sets = one.sets;
        sets.push_back(set);
        return sets;
    };
    const std::string what = one.row + " " + one.parameter;
    const std::vector<RateLimit> limits = limits_of(small_system(one.sets), one.row);
    ASSERT_FALSE(limits.empty()) << what;
    EXPECT_EQ(limits[0].parameter, one.parameter) << what;
    const double before = simulated(one.row, one.sets);
    EXPECT_GT(before, 0.84 * limits[0].rate) << what;
    EXPECT_LT(before, 1.03 * limits[0].rate) << what;
    const double more = limits_of(small_system(with(one.raised)), one.row)[0].rate / limits[0].rate;
    EXPECT_GT(more, 1.2) << what;
    EXPECT_GT(simulated(one.row, with(one.raised)) / before, 1 + 0.8 * (more - 1)) << what;
    EXPECT_NEAR(simulated(one.row, with(one.other)) / before, 1, 0.03) << what;
}

}  // namespace

TEST(ProbeLimits, OfTheL1)
{
    expect_bound(
        {"bandwidth.l1", {"l1.bandwidth=150GB/s"}, "l1.bandwidth", "l1.bandwidth=225GB/s", "gpu.outstanding=1024"});
    expect_bound(
        {"bandwidth.l1", {"gpu.outstanding=16"}, "gpu.outstanding", "gpu.outstanding=24", "l1.bandwidth=400GB/s"});
}

// Loads that wait for a free miss at the beginning of a kernel are no part of the row, however few there may be.
TEST(ProbeLimits, FewMissesDoNotChangeTheL1)
{
    for (const char* misses : {"1", "16", "256"})
        EXPECT_NEAR(simulated("bandwidth.l1", {"l1.bandwidth=150GB/s", std::string("l1.outstanding_misses=") + misses}),
            600, 0.6)
            << misses;
}

TEST(ProbeLimits, OfTheL2)
{
    expect_bound({"bandwidth.l2", {}, "l2.bandwidth", "l2.bandwidth=500GB/s", "gpu.outstanding=1024"});
    expect_bound({"bandwidth.l2", {"network.unit_rate=50GB/s"}, "network.unit_rate", "network.unit_rate=75GB/s",
        "l2.bandwidth=600GB/s"});
    expect_bound({"bandwidth.l2", {"network.slice_rate=30GB/s"}, "network.slice_rate", "network.slice_rate=40GB/s",
        "l2.bandwidth=600GB/s"});
    expect_bound({"bandwidth.l2", {"gpu.clock=500MHz"}, "gpu.clock", "gpu.clock=700MHz", "l2.bandwidth=600GB/s"});
    expect_bound(
        {"bandwidth.l2", {"gpu.outstanding=100"}, "gpu.outstanding", "gpu.outstanding=150", "l2.bandwidth=600GB/s"});
}

// Of a tiny cache each unit reads a piece that is less than what it could have in flight.
TEST(ProbeLimits, OfAPieceOfATinyCache)
{
    expect_bound(
        {"bandwidth.l2", {"l2.size=32KiB", "l2.latency=300ns"}, "l2.size", "l2.size=48KiB", "gpu.outstanding=1024"});
}

TEST(ProbeLimits, OfTheOtherPartition)
{
    expect_bound({"bandwidth.l2_far", {"l2.partitions=2", "l2.far_bandwidth=100GB/s"}, "l2.far_bandwidth",
        "l2.far_bandwidth=150GB/s", "l2.bandwidth=600GB/s"});
    expect_bound({"bandwidth.l2_far", {"l2.partitions=2", "l2.outstanding_misses=16"}, "l2.outstanding_misses",
        "l2.outstanding_misses=24", "l2.far_bandwidth=8TB/s"});
}

TEST(ProbeLimits, OfTheMemorySideCache)
{
    const Sets with_one{"l2.partitions=2", "l2.partition_policy=private", "memory_side.size=4MiB",
        "memory_side.bandwidth=150GB/s"};
    expect_bound({"bandwidth.memory_side", with_one, "memory_side.bandwidth", "memory_side.bandwidth=220GB/s",
        "l2.bandwidth=600GB/s"});
}

TEST(ProbeLimits, OfTheDram)
{
    expect_bound({"bandwidth.dram_read", {}, "hbm.bandwidth", "hbm.bandwidth=240GB/s", "network.unit_rate=300GB/s"});
    expect_bound({"bandwidth.dram_read", {"gpu.outstanding=32"}, "gpu.outstanding", "gpu.outstanding=48",
        "hbm.bandwidth=240GB/s"});
    expect_bound({"bandwidth.dram_read", {"l2.outstanding_misses=8"}, "l2.outstanding_misses",
        "l2.outstanding_misses=12", "gpu.outstanding=1024"});
    expect_bound({"bandwidth.dram_write", {"l2.outstanding_write_backs=4"}, "l2.outstanding_write_backs",
        "l2.outstanding_write_backs=6", "gpu.outstanding=1024"});
    expect_bound({"bandwidth.dram_read", {"hbm.t_ccd_l=10ns", "hbm.t_rfc=1ps"}, "hbm.t_ccd_l", "hbm.t_ccd_l=7ns",
        "hbm.bandwidth=240GB/s"});
    if (!test::thorough()) return;  // copies and writes have limits in OfOneUnit by default
    expect_bound({"bandwidth.dram_copy", {}, "hbm.bandwidth", "hbm.bandwidth=240GB/s", "network.unit_rate=300GB/s"});
    expect_bound({"bandwidth.dram_write", {"gpu.outstanding=32"}, "gpu.outstanding", "gpu.outstanding=48",
        "hbm.bandwidth=240GB/s"});
}

// Stores are over when the caches have them; what counts is what the pins take.
TEST(ProbeLimits, WritesDoNotPassThePins)
{
    double last = 160;
    for (const char* recovery : {"16ns", "60ns", "100ns", "700ns"}) {
        const double found =
            simulated("bandwidth.dram_write", {"hbm.refresh=none", std::string("hbm.t_wr=") + recovery});
        EXPECT_LE(found, 1.001 * last) << recovery;
        EXPECT_GT(found, 0) << recovery;
        last = found;
    }
    EXPECT_LT(last, 150);
}

// Nor do copies, where the caches end with fewer dirty lines than they began with, or stay far below them, where they end with more.
// Caches write back in bursts, which a slow writer fills seldom.
TEST(ProbeLimits, SlowWritesAreCountedOverWholeBursts)
{
    const Sets slow = {"gpu.outstanding=2"};
    const double one_by_one = simulated("bandwidth.dram_write", {"gpu.outstanding=2", "l2.write_back_run=1"});
    EXPECT_NEAR(simulated("bandwidth.dram_write", slow) / one_by_one, 1, 0.07);
}

TEST(ProbeLimits, CopiesAreWhatThePinsCarry)
{
    for (const Sets& sets :
        {Sets{"hbm.bandwidth=40GB/s", "hbm.refresh=none"}, Sets{"hbm.bandwidth=40GB/s", "gpu.compute_units=3"},
            Sets{"hbm.bandwidth=30GB/s"}, Sets{"hbm.bandwidth=60GB/s", "gpu.compute_units=32", "l2.size=4MiB"}}) {
        const double bound = limits_of(small_system(sets), "bandwidth.dram_copy").at(0).rate;
        const double found = simulated("bandwidth.dram_copy", sets);
        EXPECT_LT(found, 1.02 * bound) << sets[0] << " " << sets.back();
        EXPECT_GT(found, 0.93 * bound) << sets[0] << " " << sets.back();
    }
}

// Where a channel has few banks, requests meet in them, and no parameter alone is the bound: that is told.
TEST(ProbeLimits, FewBanksAreTold)
{
    const auto notices = [](const Sets& sets) {
        const std::string text =
            in_child([&] { return part_json(measure(ProbePart::dram, small_system(sets), ModelRegistry())); });
        return text.empty() ? ProbeResult().notices : part_from_json(text).notices;
    };
    EXPECT_TRUE(notices({}).empty());
    const auto few = notices({"hbm.banks=1", "hbm.bank_groups=2"});
    ASSERT_FALSE(few.empty());
    EXPECT_EQ(few.back().first, "bandwidth.dram_write");
    for (const char* part : {"bandwidth.dram_write is at ", " % of its bound: a row of the DRAM is opened for ",
             " lines of 16, and that takes ", " % of the time of the banks (hbm.banks)"})
        EXPECT_NE(few.back().second.find(part), std::string::npos) << few.back().second;

    const ResolvedSystem system = small_system({"hbm.banks=4"});
    const double bound = limits_of(system, "bandwidth.dram_write").at(0).rate;
    EXPECT_EQ(scarce_banks(system, "bandwidth.dram_write", 0.86 * bound, {4000, 2000, 1'000'000}), "");
    EXPECT_EQ(scarce_banks(system, "bandwidth.dram_write", 0.5 * bound, {4000, 500, 1'000'000}), "");
    EXPECT_NE(scarce_banks(system, "bandwidth.dram_write", 0.5 * bound, {4000, 2000, 1'000'000}), "");
}

// A row whose longer kernel is no steady state.
TEST(ProbeLimits, ARowAboveItsBoundIsTold)
{
    ProbeReport report;
    report.limits["bandwidth.l2"] = {{"l2.bandwidth", 400}};
    report.result.add("bandwidth.l2", 419);
    EXPECT_TRUE(beyond_bounds(report).empty());
    report.result.values[0].second = 440;
    ASSERT_EQ(beyond_bounds(report).size(), 1u);
    EXPECT_EQ(beyond_bounds(report)[0].rfind("bandwidth.l2 is 10 % above its bound l2.bandwidth 400.0: ", 0), 0u)
        << beyond_bounds(report)[0];
}

TEST(ProbeLimits, OfOneUnit)
{
    expect_bound({"bandwidth.unit_read", {"network.unit_rate=50GB/s"}, "network.unit_rate", "network.unit_rate=75GB/s",
        "l2.bandwidth=600GB/s"});
    expect_bound({"bandwidth.unit_write", {"network.unit_store_rate=40GB/s"}, "network.unit_store_rate",
        "network.unit_store_rate=60GB/s", "network.unit_rate=300GB/s"});
    expect_bound({"bandwidth.unit_copy", {"network.unit_store_rate=40GB/s"}, "network.unit_store_rate",
        "network.unit_store_rate=60GB/s", "network.unit_rate=300GB/s"});
    expect_bound({"bandwidth.unit_write", {"gpu.outstanding=64"}, "gpu.outstanding", "gpu.outstanding=96",
        "l2.bandwidth=600GB/s"});
    expect_bound({"bandwidth.unit_copy", {"gpu.outstanding=64"}, "gpu.outstanding", "gpu.outstanding=96",
        "l2.bandwidth=600GB/s"});
    expect_bound({"bandwidth.unit_dram", {"gpu.outstanding=64"}, "gpu.outstanding", "gpu.outstanding=96",
        "l2.bandwidth=600GB/s"});
    for (const char* partitions : {"l2.partitions=1", "l2.partitions=2"})
        expect_bound({"bandwidth.unit_dram", {partitions, "l2.outstanding_misses=8"}, "l2.outstanding_misses",
            "l2.outstanding_misses=12", "gpu.outstanding=1024"});
}

// What one unit reads displaces nothing that has to be written back, however small the L2 is.
TEST(ProbeLimits, OneUnitReadsPastCleanCaches)
{
    for (const char* size : {"512KiB", "1MiB", "2MiB"})
        EXPECT_NEAR(simulated("bandwidth.unit_dram",
                        {"hbm.bandwidth=30GB/s", "hbm.refresh=none", std::string("l2.size=") + size}),
            29.9, 0.2)
            << size;
}

TEST(ProbeLimits, OfPeers)
{
    const Sets thin{"link.bandwidth=5GB/s"};
    for (const char* row :
        {"bandwidth.peer_read", "bandwidth.peer_write", "bandwidth.peer_both", "bandwidth.peer_all"}) {
        if (!test::thorough() && row != std::string("bandwidth.peer_read")) continue;  // below, a write
        expect_bound({row, thin, "link.bandwidth", "link.bandwidth=7500MB/s", "gpu.outstanding=1024"});
    }
    expect_bound({"bandwidth.peer_write", {"gpu.outstanding=64"}, "gpu.outstanding", "gpu.outstanding=96",
        "link.bandwidth=200GB/s"});
}

// Rows between peers are those of lines in the L2, also of a small one: a hundredth of the DRAM's rate does not change them, and
// none passes its bound.
// Of two GPUs all copies are those of two peers, also where each unit has little to copy.
TEST(ProbeLimits, AllCopiesOfTwoAreThoseOfPeers)
{
    const std::string text = in_child([] {
        const Sets few{"gpu.compute_units=8", "link.bandwidth=100GB/s"};
        return part_json(measure(ProbePart::peer_bandwidth, small_system(few), ModelRegistry()));
    });
    std::map<std::string, double> found;
    for (const auto& [name, value] : part_from_json(text).values) found[name] = value;
    EXPECT_NEAR(found.at("bandwidth.all_to_all") / found.at("bandwidth.peer_both"), 1, 0.02);
}

TEST(ProbeLimits, PeersDoNotMeetTheDram)
{
    const auto rows_of = [](const Sets& sets) {
        Sets all{"l2.size=512KiB"};
        all.insert(all.end(), sets.begin(), sets.end());
        const ResolvedSystem system = small_system(all, 4);
        const std::string text =
            in_child([&] { return part_json(measure(ProbePart::peer_bandwidth, system, ModelRegistry())); });
        if (text.empty()) return std::map<std::string, double>();
        std::map<std::string, double> out;
        for (const auto& [row, value] : part_from_json(text).values) {
            out[row] = value;
            EXPECT_LT(value, 1.02 * limits_of(system, row).at(0).rate) << row;
        }
        EXPECT_EQ(out.size(), 6u);
        return out;
    };
    for (const Sets& sets : {Sets{"gpu.wavefronts_per_unit=16", "gpu.outstanding=256"}, Sets{"link.bandwidth=5GB/s"}}) {
        Sets slow = sets;
        slow.push_back("hbm.bandwidth=1600MB/s");
        const auto usual = rows_of(sets);
        for (const auto& [row, value] : rows_of(slow)) EXPECT_NEAR(value / usual.at(row), 1, 0.02) << row;
    }
    EXPECT_EQ(limits_of(small_system({}, 4), "bandwidth.peer_all")[0].parameter, "gpu.outstanding");
    EXPECT_EQ(limits_of(small_system({}, 4), "bandwidth.all_to_all")[0].rate,
        0.75 * limits_of(small_system({}, 4), "bandwidth.peer_both")[0].rate);
}

// What is sent before the first acknowledge is back has the wire for itself: a longer way needs more bytes.
TEST(ProbeLimits, OfPeersFarApart)
{
    const Sets far{"link.bandwidth=50GB/s", "link.latency=3us", "gpu.outstanding=60000"};
    const double bound = limits_of(small_system(far), "bandwidth.peer_both").at(0).rate;
    EXPECT_EQ(bound, 160);
    for (const char* row : {"bandwidth.peer_both", "bandwidth.all_to_all"}) {
        const double found = simulated(row, far);
        EXPECT_LE(found, 1.001 * bound) << row;
        EXPECT_GT(found, 0.95 * bound) << row;
    }
}

TEST(ProbeLimits, RowsWithoutABoundHaveNone)
{
    const ResolvedSystem system = small_system({"l1.size=0"});
    for (const char* row : {"latency.l2", "time.kernel", "bandwidth.l1", "bandwidth.l2_far", "bandwidth.memory_side"})
        EXPECT_TRUE(limits_of(system, row).empty()) << row;
}

// The rate and the latency of a model that declares to read neither are not those of the parameters.
TEST(ProbeLimits, WhatTheModelOfALinkDoesNotReadIsNoLimit)
{
    const auto names = [](const BlockTable::Reads& reads) {
        KnownNames known;
        known.models = ModelRegistry().names_by_kind();
        known.models["link"].emplace_back("own");
        known.blocks = BlockTable::built_in()->with({}, reads);
        std::string out;
        for (const RateLimit& limit : limits_of(small_system({"link.model=own"}, 2, known), "bandwidth.peer_write"))
            out += limit.parameter + " ";
        return out;
    };
    const auto has = [](const std::string& text, const std::string& name) {
        return text.find(name) != std::string::npos;
    };
    const std::string all = names({});
    for (const char* name : {"link.bandwidth", "link.request_credits", "gpu.outstanding"})
        EXPECT_TRUE(has(all, name)) << all;
    const std::string rate = names({{"own", {"link.bandwidth"}}});
    EXPECT_TRUE(has(rate, "link.bandwidth")) << rate;
    EXPECT_FALSE(has(rate, "link.request_credits") || has(rate, "gpu.outstanding")) << rate;
    const std::string none = names({{"own", {}}});
    EXPECT_FALSE(has(none, "link.")) << none;
    EXPECT_TRUE(has(none, "network.port_rate") || has(none, "gpu.clock")) << none;
}

// What nobody has changed binds a part whose memory has become faster.
TEST(ProbeLimits, AnInheritedLimitIsNamed)
{
    SystemDescription description;
    description.infrastructure = "node.yaml";
    description.profile = "b200";
    description.sets.push_back(parse_set("hbm.bandwidth=16TB/s"));
    LoadedGraph loaded =
        load_infrastructure_text("node.yaml", node_document("b200", "nvlink", PublishedTable::built_in().find("b200")));
    const ResolvedSystem system = resolve(description, std::make_shared<const Graph>(std::move(loaded.graph)));
    const std::vector<RateLimit> limits = limits_of(system, "bandwidth.dram_read");
    EXPECT_EQ(limits.at(0).parameter, "gpu.outstanding");
    ProbeReport report;
    report.profile = "b200";
    report.limits["bandwidth.dram_read"] = limits;
    report.result.add("bandwidth.dram_read", 9060);
    EXPECT_NE(probe_text(report).find("gpu.outstanding 1"), std::string::npos) << probe_text(report);
    EXPECT_NE(probe_json(report).find("\"bound_by\": {\n    \"parameter\": \"gpu.outstanding\","), std::string::npos)
        << probe_json(report);
}

}  // namespace probe_limits_test
