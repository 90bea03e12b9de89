// Copies by the copy engines: fixed part and rate, in the GPU and to the host.
#include <algorithm>
#include <string>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

constexpr std::size_t most = std::size_t{256} << 20;

struct Line {
    double at_zero;  // ns
    double rate;     // GB/s
};

// ns of one of `copies` copies behind each other.
double chain_ns(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, int copies)
{
    return timed_ns([&] {
        for (int i = 0; i < copies; ++i) HW_CHECK(cudaMemcpyAsync(to, from, bytes, kind, nullptr));
    }) / copies;
}

// The same in a graph: what the engine takes without a host that enqueues.
double graph_ns(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, int copies)
{
    cudaStream_t stream;
    HW_CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    HW_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < copies; ++i) HW_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
    HW_CHECK(cudaStreamEndCapture(stream, &graph));
    HW_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    std::vector<double> ns;
    for (int i = 0; i < 6; ++i) {
        const double took = timed_ns([&] { HW_CHECK(cudaGraphLaunch(executable, nullptr)); }) / copies;
        if (i > 0) ns.push_back(took);
    }
    HW_CHECK(cudaGraphExecDestroy(executable));
    HW_CHECK(cudaGraphDestroy(graph));
    HW_CHECK(cudaStreamDestroy(stream));
    return median(ns);
}

}  // namespace

void measure_copies(const Device&, Report& report)
{
    Buffer<char> first(most);
    Buffer<char> second(most);
    char* host = nullptr;
    HW_CHECK(cudaMallocHost(&host, most));
    const auto curve = [&](const char* name, void* to, const void* from, cudaMemcpyKind kind, const char* how) {
        Curve streamed{std::string("copy_") + name + "_stream", "B", "ns", {},
            std::string(how) + ", behind each other in a stream, per copy"};
        Curve in_graph{std::string("copy_") + name + "_graph", "B", "ns", {},
            std::string(how) + ", behind each other in a graph, per copy"};
        for (std::size_t bytes = 64; bytes <= most; bytes *= 4) {
            const int copies = bytes <= 1 << 20 ? 100 : 4;
            chain_ns(to, from, bytes, kind, copies);
            std::vector<double> ns;
            for (int i = 0; i < 5; ++i) ns.push_back(chain_ns(to, from, bytes, kind, copies));
            streamed.points.emplace_back(static_cast<double>(bytes), median(ns));
            in_graph.points.emplace_back(static_cast<double>(bytes), graph_ns(to, from, bytes, kind, copies));
        }
        report.curve(std::move(streamed));
        report.curve(std::move(in_graph));
    };
    curve("device_to_device", second.get(), first.get(), cudaMemcpyDeviceToDevice,
        "copies within the memory of the GPU");
    curve("host_to_device", second.get(), host, cudaMemcpyHostToDevice, "copies from pinned memory of the host");
    curve("device_to_host", host, first.get(), cudaMemcpyDeviceToHost, "copies to pinned memory of the host");
    HW_CHECK(cudaFreeHost(host));
}

}  // namespace hardware
