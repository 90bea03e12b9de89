// Kernels one after the other: in a stream and in a graph.
#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

__global__ void nothing() {}

// A workgroup of 512 B for each SM.
__global__ void copy_little(const uint4* from, uint4* to)
{
    const std::size_t at = std::size_t{blockIdx.x} * 32 + threadIdx.x;
    to[at] = from[at];
}

}  // namespace

void measure_kernels(const Device& device, Report& report)
{
    constexpr int kernels = 1000;
    Buffer<uint4> from(std::size_t(device.sms()) * 32);
    Buffer<uint4> to(std::size_t(device.sms()) * 32);
    cudaStream_t stream;
    HW_CHECK(cudaStreamCreate(&stream));
    const auto rows = [&](const char* in_stream, const char* in_graph, const char* what, auto launch) {
        std::vector<double> ns;
        for (int i = 0; i < 9; ++i)
            ns.push_back(timed_ns([&] {
                for (int k = 0; k < kernels; ++k) launch(cudaStream_t{nullptr});
            }) / kernels);
        report.row(in_stream, "ns", ns, std::string(what) + ", 1000 in a stream, per kernel");
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        HW_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int k = 0; k < kernels; ++k) launch(stream);
        HW_CHECK(cudaStreamEndCapture(stream, &graph));
        HW_CHECK(cudaGraphInstantiate(&executable, graph, 0));
        ns.clear();
        for (int i = 0; i < 10; ++i) {
            const double took = timed_ns([&] { HW_CHECK(cudaGraphLaunch(executable, nullptr)); }) / kernels;
            if (i > 0) ns.push_back(took);
        }
        report.row(in_graph, "ns", ns, std::string(what) + ", 1000 in a graph, per kernel");
        HW_CHECK(cudaGraphExecDestroy(executable));
        HW_CHECK(cudaGraphDestroy(graph));
    };
    rows("kernel.stream_empty", "kernel.graph_empty", "an empty kernel of one thread",
        [](cudaStream_t in) { nothing<<<1, 1, 0, in>>>(); });
    rows("kernel.stream_copy", "kernel.graph_copy", "512 B copied by a warp on each SM",
        [&](cudaStream_t in) { copy_little<<<device.sms(), 32, 0, in>>>(from.get(), to.get()); });
    HW_CHECK(cudaStreamDestroy(stream));
}

}  // namespace hardware
