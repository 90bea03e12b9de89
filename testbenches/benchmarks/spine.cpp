// weft_bench_spine: line hops per second, plain kernel against event queue, and of a whole collective.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <systemc>

#include "base/huge_pages.h"
#include "testbenches/benchmarks/collective.h"
#include "testbenches/benchmarks/delay_ring.h"
#include "testbenches/benchmarks/table.h"
#include "testbenches/traffic/router_configurations.h"

namespace {

using weft::bench::eight_gpu_all_reduce;
using weft::bench::Measured;

constexpr std::uint64_t hops_per_run = 4'000'000;
constexpr const char* child_flag = "--measure";

struct Entry {
    std::string name;
    std::string baseline;
    std::function<Measured()> measure;  // in a process of its own
};

// Runs a command whose last line of output is "hops seconds". Nothing measured when it fails.
Measured from_command(const std::string& command)
{
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    Measured measured;
    char text[256];
    while (pipe && std::fgets(text, sizeof text, pipe.get()) != nullptr) {
        Measured line;
        if (std::sscanf(text, "%lf %lf", &line.hops, &line.seconds) == 2) measured = line;
    }
    return measured;
}

std::vector<Entry> rows(const std::string& self)
{
    std::vector<Entry> out;
    for (const char* components : {"100", "1000", "5000"})
        for (const char* kind : {"events", "event_queue"}) {
            const std::string command = "'" + self + "' " + child_flag + " " + kind + " " + components;
            out.push_back({std::string(kind) + "/" + components, std::string("events/") + components,
                [command] { return from_command(command); }});
        }
    // One line in flight: the speed of the machine, as others publish it.
    out.push_back({"one_line/1000", "events/1000",
        [command = "'" + self + "' " + child_flag + " one_line 1000"] { return from_command(command); }});
    for (const char* kind : {"mesh", "tree"}) {
        const std::string command = "'" + self + "' " + child_flag + " " + kind + " 64";
        out.push_back({std::string("routers/") + kind, "events/100", [command] { return from_command(command); }});
    }
    for (const bool data_on : {false, true})
        out.push_back({std::string("all_reduce_16MiB/data_") + (data_on ? "on" : "off"), "events/100",
            [data_on] { return eight_gpu_all_reduce("16MiB", data_on); }});
    return out;
}

// Routers of a mesh or a tree of 64 endpoints at a load of 0.3; a hop is a router passed.
Measured routers(bool tree, std::uint64_t hops)
{
    weft::testing::Configuration network = tree ? weft::testing::tree_of_64() : weft::testing::mesh_of_64();
    network.options.checkers = false;
    network.options.traffic.duration = hops / 120 * 1'000;  // some 120 hops in a clock
    const weft::testing::NetworkResult result = weft::testing::run_network(network.graph, network.at(0.3).options);
    return {static_cast<double>(result.hops), result.cpu_s};
}

int measure_here(const std::string& kind, unsigned components)
{
    if (kind == "mesh" || kind == "tree") {
        const Measured measured = routers(kind == "tree", hops_per_run);
        std::printf("%.0f %.9f\n", measured.hops, measured.seconds);
        return 0;
    }
    const Measured measured = kind == "events" ? weft::bench::ring_of_events(components, components, hops_per_run)
        : kind == "one_line"                   ? weft::bench::ring_of_events(components, 1, hops_per_run)
                             : weft::bench::ring_under_event_queue(components, components, hops_per_run);
    std::printf("%.0f %.9f\n", measured.hops, measured.seconds);
    return 0;
}

void run_entry(benchmark::State& state, const Entry& entry)
{
    for (auto unused : state) {
        (void)unused;
        const Measured measured = entry.measure();
        if (measured.seconds <= 0) {
            state.SkipWithError("the measuring process failed");
            return;
        }
        state.SetIterationTime(measured.seconds);
        state.counters["hops_per_s"] = measured.hops / measured.seconds;
        state.counters["lines_per_s"] = measured.lines / measured.seconds;
    }
}

}  // namespace

int sc_main(int, char**) { return 0; }

int main(int argc, char** argv)
{
    weft::prefer_huge_pages(weft::huge_page_room());  // as the program does
    if (argc == 4 && std::string(argv[1]) == child_flag)
        return measure_here(argv[2], static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)));
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::vector<Entry> entries = rows(error ? std::string(argv[0]) : self.string());

    // Interleaved unless the command line says otherwise.
    std::vector<std::string> arguments(argv, argv + argc);
    arguments.insert(arguments.begin() + 1,
        {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=5"});
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    benchmark::Initialize(&count, pointers.data());
    if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

    std::vector<weft::bench::Row> table;
    for (const Entry& entry : entries) {
        table.push_back({entry.name, entry.baseline});
        benchmark::RegisterBenchmark(entry.name.c_str(), run_entry, entry)->UseManualTime()->Iterations(1);
    }
    weft::bench::Table reporter(table);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::Shutdown();
    return 0;
}
