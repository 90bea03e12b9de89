// Values that change nothing are told, and those that count are in the sums.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace told_values_test {

using namespace weft::commands_test;

namespace {

const std::string dgx = "examples/dgx_h100/system.yaml";

void expect_said(const std::vector<std::string>& arguments, const std::string& text, bool said = true)
{
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find(text) != std::string::npos, said) << text << "\nin\n" << outcome.out;
}

}  // namespace

TEST(ToldValues, LinksAndSwitchesThatNoRouteUses)
{
    const auto of_rank = [](const std::string& rank) {
        return std::vector<std::string>{"run", dgx, "--ranks", "2", "--bytes", "4KiB", "--no-data", "--set",
            "dgx.0.xpu." + rank + "~dgx.0.nvsw.0.link.latency=1us"};
    };
    const std::string notice =
        "link.latency of 1 link (--set) is set and changes nothing: no route of this run uses it";
    expect_said(of_rank("7"), notice);
    expect_said(of_rank("1"), notice, false);
    expect_said({"run", dgx, "--bytes", "4KiB", "--no-data", "--set", "dgx.0.xpu.0.switch.latency=1us"},
        "switch.latency of 1 node (--set) is set and changes nothing: no route of this run uses it");
}

// Routes take the widest of the shortest paths: a link that was made narrower may have lost its routes to that value.
TEST(ToldValues, ABandwidthThatTookTheRoutesAwayIsNotSaidToChangeNothing)
{
    const auto with = [](const std::string& value) {
        return std::vector<std::string>{"run", dgx, "--ranks", "2", "--bytes", "4KiB", "--no-data", "--set",
            "dgx.0.xpu." + value};
    };
    const std::string why =
        "link.bandwidth of 1 link (--set) is set, and no route of this run takes it: of the shortest "
        "paths routes take the widest, so this value may be why";
    const std::string nothing =
        "link.bandwidth of 1 link (--set) is set and changes nothing: no route of this run uses it";
    expect_said(with("1~dgx.0.nvsw.0.link.bandwidth=1GB/s"), why);
    expect_said(with("1~dgx.0.nvsw.0.link.bandwidth=1GB/s"), nothing, false);
    // It leads to nobody who takes part.
    expect_said(with("7~dgx.0.nvsw.0.link.bandwidth=1GB/s"), nothing);
}

// Write-backs of a small cache are no load that anybody waits for: what the memory is behind at the end is told.
TEST(ToldValues, WriteBacksAfterTheEndOfTheRun)
{
    const std::vector<std::string> slow{"run", dgx, "--ranks", "2", "--collective", "all_gather", "--algorithm",
        "direct", "--bytes", "1MiB", "--no-data", "--set", "hbm.bandwidth=200GB/s"};
    const std::string notice = "hbm of dgx.0.xpu.1 carries write-backs until 2.8403 us after the end of the run";
    const std::string counted = "statistics and energies are counted until then";
    expect_said(slow, "carries write-backs", false);
    std::vector<std::string> small = slow;
    small.insert(small.end(), {"--set", "l2.size=320KiB"});
    const Outcome outcome = call(small);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    // Carried in the run itself: at most 182.1, 200 without the refreshes.
    for (const std::string& text : {notice, counted, std::string("carried 172.6 GB/s")})
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\nin\n" << outcome.out;
}

// Each channel has its requests, and a proxy takes one after another: the time is that of the proxies.
TEST(ToldValues, RequestsOfManyPortChannels)
{
    const auto with = [](const std::string& channels) {
        return std::vector<std::string>{"run", dgx, "--ranks", "4", "--collective", "all_gather", "--algorithm",
            "direct", "--bytes", "32KiB", "--no-data", "--set", "engine.channel=port", "--set",
            "gpu.wait_policy=waiting_atomic", "--set", "engine.channels=" + channels};
    };
    // A put to all peers and a signal to each: four requests of a channel.
    const std::string notice = "the proxy of dgx.0.xpu.0 serves its 128 requests for 908.8 us of this run, one after "
                               "the other, each for copy.proxy_service = 7.1 us: each of the 32 channels makes "
                               "requests of its own, so fewer engine.channels make fewer (docs/models/copy_engine.md)";
    expect_said(with("32"), notice);
    expect_said(with("2"), "the proxy of dgx.0.xpu.0 serves its 8 requests for 56.8 us of this run");
    expect_said(with("1"), "the proxy of", false);
    // A channel for each 32 KiB, and copies that take longer than their requests.
    std::vector<std::string> few = with("32");
    few.insert(few.end(), {"--set", "engine.channel_bytes=32KiB"});
    expect_said(few, "the proxy of", false);
    std::vector<std::string> quick = with("2");
    quick.insert(quick.end(), {"--set", "copy.proxy_service=100ns"});
    expect_said(quick, "the proxy of", false);
}

TEST(ToldValues, WhatClockedLinksDoNotRead)
{
    const std::string notice =
        "link.header is set and changes nothing: no model of the links that it was set for reads it";
    expect_said({"explain", dgx, "--set", "link.model=reference_link", "--set", "link.header=32"}, notice);
    expect_said({"explain", dgx, "--set", "link.header=32"}, notice, false);
}

// 0.6 clocks of 320 ps, which the endpoints and the wire have at least three of; packets of their own.
TEST(ToldValues, WhatClockedLinksTakeAndFiguresDoNotKnow)
{
    const Fixtures files;
    const auto on_pair = [&files](const char* command, const std::string& latency) {
        return std::vector<std::string>{command, files.pair_system(), "--set", "link.model=reference_link", "--set",
            "link.bandwidth=50GB/s", "--set", "link.flit=16", "--set", "link.latency=" + latency};
    };
    expect_said(on_pair("check", "192ps"),
        "link.latency of 192 ps is 0.6 clocks of 320 ps: clocked links take 3, 960 ps");
    expect_said(on_pair("check", "960ps"), "clocked links take", false);
    std::vector<std::string> run = on_pair("run", "96ns");
    const std::string packets = " nothing of the packets and the clock of link model 'reference_link' (those of model "
                                "'link' stand for them)";
    run.insert(run.end(), {"--collective", "all_gather", "--bytes", "4KiB"});
    expect_said(run, "alpha-beta knows" + packets);
    run.insert(run.end(), {"--algorithm", "auto"});
    expect_said(run, "the estimates of algorithms know" + packets);
}

// The packet, three of the other direction, a request for credits, and the wire twice.
TEST(ToldValues, ClockedLinksRefuseATimeoutThatCanEndWithoutAnError)
{
    const Fixtures files;
    for (const char* const command : {"check", "run"}) {
        std::vector<std::string> arguments{command, files.pair_system(), "--set", "link.model=reference_link", "--set",
            "link.bandwidth=25GB/s", "--set", "link.flit=16", "--set", "link.latency=1us"};
        const Outcome refused = call(arguments);
        EXPECT_EQ(refused.code, 2);
        EXPECT_NE(refused.err.find("--set: a clocked link whose replay time-out of 2 us can end without an error: an "
                                   "acknowledge takes up to 3147 clocks of 640 ps, at "),
            std::string::npos)
            << refused.err;
        EXPECT_NE(refused.err.find("; expected link.replay_timeout of at least 2.01408 us\n"), std::string::npos)
            << refused.err;
        arguments.insert(arguments.end(), {"--set", "link.replay_timeout=2.01408us"});
        EXPECT_EQ(call(arguments).code, 0);
    }
}

// The box has switches of the PCIe tree, too, which no route passes and whose model would read these.
TEST(ToldValues, WhatOnlyOtherPartsThanThoseOfTheRunRead)
{
    const auto run = [](const std::string& model, const std::string& set) {
        return std::vector<std::string>{"run", dgx, "--bytes", "4KiB", "--no-data", "--model", "*.nvsw.*=" + model,
            "--set", set};
    };
    const std::string notice =
        "switch.reduce_timeout is set and changes nothing: it belongs to model switch, but none of the "
        "switches for which it is set has that model";
    expect_said(run("crossbar", "switch.reduce_timeout=1ms"), notice);
    expect_said(run("switch", "switch.reduce_timeout=1ms"), notice, false);
    expect_said(run("crossbar", "switch.allocator=islip"), "switch.allocator is set", false);
}

TEST(ToldValues, VcSetsThatNoRouteUses)
{
    const std::string notice = "link.vc_sets=2 is set, and the routes of this run use 1 of them";
    const std::vector<std::string> run{"run", dgx, "--bytes", "4KiB", "--no-data", "--set", "link.vc_sets=2"};
    expect_said(run, notice);
    const std::vector<std::string> ring{"run", "examples/switch_ring/system.yaml", "--bytes", "4KiB", "--no-data",
        "--set", "link.vc_sets=2", "--set", "routing.policy=dimension_order"};
    expect_said(ring, "of them", false);
}

TEST(ToldValues, EnginesThatMoveNothingAndNodesThatARunDoesNotHave)
{
    // Each with what it needs.
    const std::vector<std::vector<std::string>> cases{{"copy.start=2us", "engine.mover=copy_engine"},
        {"copy.queues=4", "engine.channel=port"}, {"bulk.start=2us", "engine.mover=bulk"},
        {"engine.ll128_fence=on", "engine.protocol=ll128"}};
    for (const std::vector<std::string>& sets : cases) {
        const std::string notice =
            sets[0].substr(0, sets[0].find('=')) + " is set and changes nothing: it needs engine.";
        expect_said({"explain", dgx, "--set", sets[0]}, notice);
        expect_said({"explain", dgx, "--set", sets[0], "--set", sets[1]}, notice, false);
    }
    for (const std::string set :
        {"engine.compute_in_flight=2", "engine.communication_in_flight=2", "engine.memory_nodes=remote",
            "engine.compute_time=roofline", "engine.compute_workgroups=3", "gpu.compute_model=output_stationary"})
        expect_said({"explain", dgx, "--set", set},
            set.substr(0, set.find('=')) + " is set and changes nothing: it needs a trace");
    const std::string flops = "gpu.peak_flops is set and changes nothing: it needs a trace or a background kernel";
    expect_said({"explain", dgx, "--set", "gpu.peak_flops=1 TFLOP/s"}, flops);
    expect_said(
        {"run", dgx, "--bytes", "4KiB", "--no-data", "--set", "gpu.peak_flops=1 TFLOP/s", "--beside", "gemm:64,64,64"},
        flops, false);
    const std::string chunks = "engine.dimension_chunks is set and changes nothing: it needs the algorithm multi_dim";
    const std::vector<std::string> ring{"run", dgx, "--bytes", "4KiB", "--no-data", "--set",
        "engine.dimension_chunks=2", "--algorithm"};
    std::vector<std::string> with = ring;
    with.insert(with.end(), {"ring"});
    expect_said(with, chunks);
    with = ring;
    with.insert(with.end(), {"multi_dim", "--dimensions", "a=4,b=2"});
    expect_said(with, chunks, false);
}

TEST(ToldValues, CopyEnginesThatHaveNothingToDo)
{
    const auto explain = [](const std::string& set) {
        return std::vector<std::string>{"explain", dgx, "--set", "engine.mover=copy_engine", "--set", set};
    };
    for (const std::string name : {"copy.request_latency", "copy.proxy_poll", "copy.proxy_service"}) {
        const std::string notice = name + " is set and changes nothing: it needs engine.channel=port";
        expect_said(explain(name + "=2us"), notice);
        std::vector<std::string> by_port = explain(name + "=2us");
        by_port.insert(by_port.end(), {"--set", "engine.channel=port"});
        expect_said(by_port, notice, false);
    }
    const auto run = [](const std::string& collective, const std::string& algorithm, const std::string& set) {
        return std::vector<std::string>{"run", dgx, "--bytes", "4KiB", "--no-data", "--collective", collective,
            "--algorithm", algorithm, "--set", "engine.mover=copy_engine", "--set", set};
    };
    const std::string units = " is set and changes nothing: all steps of this collective run on units or in switches";
    expect_said(run("all_reduce", "nvls", "copy.rate=1GB/s"), "copy.rate" + units);
    expect_said(run("all_gather", "direct", "copy.rate=1GB/s"), units, false);
    // Ranks that only wait do so in a list of the engine.
    expect_said(run("broadcast", "multicast", "copy.poll_interval=9us"), units, false);
}

// What is set for bulk copies that a collective has not, and for wavefronts that have nothing to move.
TEST(ToldValues, WhatNeitherBulkCopiesNorWavefrontsDo)
{
    const auto run = [](const std::string& mover, const std::string& algorithm, const std::vector<std::string>& more) {
        std::vector<std::string> out{"run", dgx, "--bytes", "4KiB", "--no-data", "--algorithm", algorithm, "--set",
            "engine.mover=" + mover};
        out.insert(out.end(), more.begin(), more.end());
        return out;
    };
    const std::vector<std::string> sums{"--collective", "all_reduce", "--set", "bulk.start=9us"};
    const std::string none =
        "bulk.start is set and changes nothing: no step of this collective is a copy from one place";
    expect_said(run("bulk", "two_shot_get", sums), none);
    expect_said(run("bulk", "ring", sums), none, false);
    const std::vector<std::string> sets{"--collective", "all_gather", "--set", "gpu.fence_latency=2us", "--set",
        "engine.unroll=2", "--set", "gpu.outstanding=64"};
    expect_said(run("copy_engine", "direct", sets),
        "engine.unroll, gpu.outstanding, gpu.fence_latency are set and change nothing: lists of copy engines move, "
        "signal "
        "and wait for all data of this collective");
    expect_said(run("bulk", "direct", sets),
        "engine.unroll is set and changes nothing: bulk copies move all data of this collective");
    std::vector<std::string> beside = run("copy_engine", "direct", sets);
    beside.insert(beside.end(), {"--beside", "gemm:64,64,64"});
    expect_said(beside, "engine.unroll, gpu.fence_latency are set and change nothing");
    std::vector<std::string> sum = sets;
    sum[1] = "all_reduce";
    expect_said(run("copy_engine", "direct", sum), "set and change nothing", false);
    std::vector<std::string> flow = run("copy_engine", "direct", sets);
    flow.insert(flow.end(), {"--fidelity", "flow"});
    expect_said(flow, "engine.unroll, gpu.outstanding, gpu.fence_latency are set and change nothing");
}

TEST(ToldValues, CachesPacketsAndWavefronts)
{
    const auto explain = [](const std::vector<std::string>& sets) {
        std::vector<std::string> out{"explain", dgx};
        for (const std::string& set : sets) out.insert(out.end(), {"--set", set});
        return out;
    };
    const std::string l1 = "l1.latency is set and changes nothing: it needs l1.size above 0";
    expect_said(explain({"l1.size=0", "l1.latency=9ns"}), l1);
    expect_said(explain({"l1.size=64KiB", "l1.latency=9ns"}), l1, false);
    // More than max_payload is as much as that, which is more than the default.
    const std::string group = "link.group_payload is set and changes nothing";
    expect_said(explain({"link.group_payload=256"}), group, false);
    expect_said(explain({"link.group_payload=256", "link.merge=none"}), group);
    const std::string places = "engine.wavefronts is 16, but units have places for gpu.wavefronts_per_unit = 4";
    const std::vector<std::string> run{"run", dgx, "--bytes", "4KiB", "--no-data", "--set"};
    std::vector<std::string> few = run;
    few.emplace_back("gpu.wavefronts_per_unit=4");
    expect_said(few, places);
    few.back() = "gpu.wavefronts_per_unit=16";
    expect_said(few, places, false);
    // A workgroup of a kernel has eight, which flow fidelity does not change.
    few.insert(few.begin() + 2, {"--ranks", "2", "--beside", "gemm:64,64,64,64"});
    few.back() = "gpu.wavefronts_per_unit=4";
    const std::string of_kernel = "workgroups of the background kernel have 8 wavefronts, but units have places for "
                                  "gpu.wavefronts_per_unit = 4: they run with 4";
    expect_said(few, of_kernel);
    std::vector<std::string> at_flow = few;
    at_flow.insert(at_flow.begin() + 2, {"--fidelity", "flow"});
    const Outcome refused = call(at_flow);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find(
                  "a background kernel on units with gpu.wavefronts_per_unit = 4: at flow fidelity its workgroups "
                  "have 8 wavefronts; expected gpu.wavefronts_per_unit of at least 8, or --fidelity line"),
        std::string::npos)
        << refused.err;
    few.back() = "gpu.wavefronts_per_unit=8";
    expect_said(few, of_kernel, false);
    // The router of an accelerator that somebody has set.
    expect_said(explain({"dgx.0.xpu.3.switch.latency=2us"}), "switch.latency             2 us             --set");
    EXPECT_NE(call({"run", dgx, "--bytes", "4KiB", "--fidelity", "flow", "--set", "engine.grain=512B"})
                  .err.find("engine.grain above 64 B: there are no transactions; expected --fidelity line"),
        std::string::npos);
}

// auto passes over algorithms that the engine cannot carry out; its prices do not depend on who moves the data.
TEST(ToldValues, WhatAChoiceAmongAlgorithmsDoesNotKnow)
{
    const std::vector<std::string> chosen{"run", dgx, "--ranks", "4", "--bytes", "64KiB", "--no-data", "--algorithm",
        "auto", "--set"};
    const std::string notice = "the algorithm auto estimates as if compute units moved the data";
    const auto with = [&](const std::string& set) {
        std::vector<std::string> out = chosen;
        out.push_back(set);
        return out;
    };
    expect_said(with("engine.mover=copy_engine"), notice);
    expect_said(with("engine.channel=port"), notice);
    expect_said(with("engine.staging=fifo"), notice, false);
    expect_said(with("engine.staging=fifo"), "not push_reduce, estimated");
    // Nothing can be carried out so.
    std::vector<std::string> none = with("engine.mover=copy_engine");
    none.insert(none.end(), {"--set", "engine.protocol=ll"});
    const Outcome outcome = call(none);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("no algorithm can be used; the cheapest, "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("expected engine.mover=units, or engine.protocol=simple"), std::string::npos)
        << outcome.err;
}

TEST(ToldValues, InABenchOfTheFabric)
{
    const std::vector<std::string> bench{"fabric", dgx, "--loads", "1", "--duration", "1us", "--set",
        "engine.channels=4", "--set", "link.vc_sets=2", "--set", "l2.size=20MiB", "--set", "gpu.outstanding=8", "--set",
        "gpu.port_to_l2=100ns"};
    std::vector<std::string> data = bench;
    data.insert(data.end(), {"--json", "-"});
    for (const std::vector<std::string>& arguments : {bench, data}) {
        const Outcome outcome = call(arguments);
        EXPECT_NE(outcome.err.find("engine.channels is set and changes nothing: no collective runs here"),
            std::string::npos)
            << outcome.err;
        EXPECT_NE(outcome.err.find("link.vc_sets=2 is set, and the routes of this run use 1 of them"),
            std::string::npos)
            << outcome.err;
        EXPECT_NE(outcome.err.find(
                      "gpu.outstanding, l2.size are set and change nothing: sources of traffic have no units, "
                      "caches and memories"),
            std::string::npos)
            << outcome.err;
        if (arguments.size() > bench.size()) {
            EXPECT_EQ(nlohmann::json::parse(outcome.out)["notices"].size(), 3u);
        }
    }
}

TEST(ToldValues, CachesThatAreNotThereAndWaitsThatNobodyHolds)
{
    const std::string absent = "memory_side.latency is set and changes nothing: it needs memory_side.size above 0";
    const std::vector<std::string> latency{"explain", dgx, "--set", "memory_side.latency=70ns"};
    expect_said(latency, absent);
    std::vector<std::string> present = latency;
    present.insert(present.end(), {"--set", "memory_side.size=80MiB"});
    expect_said(present, absent, false);
    const std::string spins = "l2.monitors is set and changes nothing: it needs gpu.wait_policy=monitor";
    const std::vector<std::string> monitors{"explain", dgx, "--set", "l2.monitors=8", "--set"};
    for (const std::string policy : {"spin", "backoff", "monitor", "waiting_atomic"}) {
        std::vector<std::string> with = monitors;
        with.push_back("gpu.wait_policy=" + policy);
        expect_said(with, spins, policy == "spin" || policy == "backoff");
    }
}

TEST(ToldValues, InstructionsOfNoWholeLinesAtFlowFidelity)
{
    const std::vector<std::string> run{"run", dgx, "--fidelity", "flow", "--bytes", "64KiB"};
    expect_said(run, "an instruction moves", false);
    std::vector<std::string> narrow = run;
    narrow.insert(narrow.end(), {"--set", "engine.vector=1B"});
    expect_said(narrow, "an instruction moves 32 B (gpu.lanes x engine.vector)");
}

// 1.804 us of links and nodes, and 300 ns of a message at its card; 100 ns and a traversal of 1 us in a crossbar.
TEST(ToldValues, RoutesHaveCardsAndCrossbarsInTheirSums)
{
    expect_said({"route", "examples/two_hosts/two_hosts.yaml", "--from", "host.0.xpu.0", "--to", "host.1.xpu.0"},
        "total: 2.104 us without load (links 652 ns, nodes 1.152 us, network card 300 ns)");
    expect_said({"route", dgx, "--model", "*.nvsw.*=crossbar", "--set", "switch.latency=100ns", "--set",
                    "switch.traversal=1us", "--from", "dgx.0.xpu.0", "--to", "dgx.0.xpu.5"},
        "nodes 1.1005 us");
}

// Half of the loads take the plane whose links are 3 us longer: 12 us more on four links, 6 us in the mean.
TEST(ToldValues, LoadsFromPeersTakeAllEqualPaths)
{
    const Fixtures files;
    const std::string planes = files.write("planes.yaml",
        "name: planes\ndevices:\n- name: box\n  components:\n"
        "  - {name: xpu, choice: xpu, count: 2, description: accelerator}\n"
        "  - {name: a, choice: switch, count: 1, description: switch}\n"
        "  - {name: b, choice: switch, count: 1, description: switch}\n  links:\n"
        "  - {name: near, description: wire, physical: {bandwidth: {gigabytes_per_second: 64}, latency: {ns: 100}}}\n"
        "  - {name: far, description: wire, physical: {bandwidth: {gigabytes_per_second: 64}, latency: {ns: 100}}}\n"
        "  edges:\n  - {ep1: {component: xpu}, ep2: {component: a}, scheme: many2many, link: near}\n"
        "  - {ep1: {component: xpu}, ep2: {component: b}, scheme: many2many, link: far}\n"
        "instances:\n- {name: x, device: box, count: 1}\n");
    const auto latency = [&](const std::string& set) {
        const Outcome outcome =
            call({"probe", planes, "--profile", "generic", "--only", "latency.peer", "--set", set, "--json", "-"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out)["rows"][0]["simulated"].get<double>();
    };
    const double equal = latency("links.far.latency=100ns");
    EXPECT_NEAR(latency("links.far.latency=3100ns") - equal, 6000, 60);
    EXPECT_NEAR(latency("links.near.latency=3100ns") - equal, 6000, 60);
}

// What is measured is never above its bound.
TEST(ToldValues, PooledCreditsAreInTheBoundsOfProbes)
{
    const Outcome outcome = call({"probe", "--profile", "h100", "--only", "bandwidth.peer_write", "--set",
        "link.request_credits=8", "--set", "link.pool_credits=4000", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json result = nlohmann::json::parse(outcome.out);
    const nlohmann::json& row = result["rows"][0];
    EXPECT_LE(row["simulated"].get<double>(), 1.001 * row["bound_by"]["GBps"].get<double>());
}

// A run that did not end proves nothing.
TEST(ToldValues, AtFlowFidelityOnlyWhatHasEndedIsRight)
{
    const auto verified = [](const std::vector<std::string>& more) {
        std::vector<std::string> run{"run", dgx, "--fidelity", "flow", "--bytes", "1MiB", "--json", "-"};
        run.insert(run.end(), more.begin(), more.end());
        return nlohmann::json::parse(call(run).out)["verified"];
    };
    EXPECT_EQ(verified({}), "passed");
    EXPECT_EQ(verified({"--until", "1us"}), "off");
}

// Errors of a run name the place of the parameter that they are about, where somebody has set it.
TEST(ToldValues, ErrorsOfARunHaveThePlaceOfTheirParameter)
{
    const Fixtures files;
    const auto error_of = [&files](const std::string& parameter) {
        const std::string path = files.write("groups.yaml",
            "infrastructure: " WEFT_SOURCE_DIR "/examples/dgx_h100/dgx_h100.yaml\nprofile: h100\nparameters:\n  " +
                parameter + "\nworkload: {collective: all_reduce, algorithm: nvls, bytes: 4 KiB}\n");
        const Outcome outcome = call({"run", path, "--no-data"});
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        return outcome.err.substr(outcome.err.find_last_of('/') + 1);
    };
    EXPECT_EQ(error_of("'dgx.0.nvsw.*.switch.multicast_groups': 0")
                  .find("groups.yaml:4: dgx.0.nvsw.0: the table of 0 groups is full"),
        0u);
    EXPECT_EQ(error_of("switch.multicast_groups: 0").find("groups.yaml:4: "), 0u);
}

}  // namespace told_values_test
