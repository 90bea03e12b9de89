#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

__global__ void spin(std::uint64_t cycles, std::uint64_t* out)
{
    const std::uint64_t begin_ns = global_ns();
    const long long begin = clock64();
    while (static_cast<std::uint64_t>(clock64() - begin) < cycles) {
    }
    const long long end = clock64();
    out[0] = static_cast<std::uint64_t>(end - begin);
    out[1] = global_ns() - begin_ns;
}

}  // namespace

Device::Device()
{
    HW_CHECK(cudaSetDevice(0));
    HW_CHECK(cudaGetDeviceProperties(&properties_, 0));
}

double Device::cycle_ns() const
{
    Buffer<std::uint64_t> out(2);
    std::vector<double> spins;
    for (int i = 0; i < 5; ++i) {
        spin<<<1, 1>>>(40'000'000, out.get());
        finish();
        const auto both = out.all();
        spins.push_back(static_cast<double>(both[1]) / static_cast<double>(both[0]));
    }
    return median(spins);
}

void Device::facts(Report& report) const
{
    int memory_khz = 0;
    int bus_bits = 0;
    int engines = 0;
    int clock_khz = 0;
    int driver = 0;
    int runtime = 0;
    HW_CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    HW_CHECK(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    HW_CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
    HW_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    HW_CHECK(cudaDriverGetVersion(&driver));
    HW_CHECK(cudaRuntimeGetVersion(&runtime));
    report.fact("part", properties_.name);
    report.fact("cuda_driver_api", std::to_string(driver));
    report.fact("cuda_runtime", std::to_string(runtime));
    const auto one = [&](const char* name, const char* unit, double value, const char* how) {
        report.row(name, unit, {value}, how);
    };
    one("device.sms", "count", sms(), "of the driver");
    one("device.l2", "MiB", static_cast<double>(l2_bytes()) / (1 << 20), "of the driver");
    one("device.memory", "GB", static_cast<double>(properties_.totalGlobalMem) * 1e-9, "of the driver");
    one("device.copy_engines", "count", engines, "asynchronous engines of the driver");
    one("device.boost", "MHz", clock_khz * 1e-3, "largest SM clock of the driver");
    one("device.pins", "GB/s", 2.0 * memory_khz * 1e3 * bus_bits / 8 * 1e-9,
        "memory clock, two bits a clock, bus width");
    one("device.clock", "MHz", 1e3 / cycle_ns(), "an SM that spins, against the timer of the GPU");
}

}  // namespace hardware
