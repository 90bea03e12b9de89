// Measures on an NVIDIA GPU what a device profile of Weft rests on, by the names of `weft probe`.
//
//     hardware_probe OUT.json [PART...]
#include <cstring>

#include "testbenches/hardware/device.h"

namespace {

struct Part {
    const char* name;
    void (*measure)(const hardware::Device&, hardware::Report&);
};

constexpr Part parts[] = {
    {"latency", hardware::measure_latency},
    {"partitions", hardware::measure_partitions},
    {"bandwidth", hardware::measure_bandwidth},
    {"units", hardware::measure_units},
    {"atomics", hardware::measure_atomics},
    {"synchronisation", hardware::measure_synchronisation},
    {"kernels", hardware::measure_kernels},
    {"copies", hardware::measure_copies},
    {"bulk", hardware::measure_bulk},
    {"host", hardware::measure_host},
};

bool wanted(const char* name, int argc, char** argv)
{
    for (int i = 2; i < argc; ++i)
        if (std::strcmp(argv[i], name) == 0) return true;
    return argc == 2;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: hardware_probe OUT.json [PART...]; parts:");
        for (const Part& part : parts) std::fprintf(stderr, " %s", part.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        bool known = false;
        for (const Part& part : parts) known = known || std::strcmp(argv[i], part.name) == 0;
        if (!known) {
            std::fprintf(stderr, "hardware_probe: unknown part '%s'\n", argv[i]);
            return 2;
        }
    }
    const hardware::Device device;
    hardware::Report report;
    device.facts(report);
    for (const Part& part : parts)
        if (wanted(part.name, argc, argv)) part.measure(device, report);
    std::FILE* out = std::fopen(argv[1], "w");
    if (out == nullptr) {
        std::perror(argv[1]);
        return 2;
    }
    report.write(out);
    return std::fclose(out) == 0 ? 0 : 1;
}
