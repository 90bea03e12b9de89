#include "testbenches/benchmarks/collective.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace weft::bench {

Measured eight_gpu_all_reduce(const std::string& size, bool data_on)
{
    const std::string file = "/tmp/weft_bench_" + std::to_string(::getpid()) + ".json";
    const std::string command = std::string("'") + WEFT_PROGRAM + "' run '" + WEFT_SOURCE_DIR +
        "/examples/dgx_h100/system.yaml' --collective all_reduce --algorithm ring --bytes " + size +
        (data_on ? "" : " --no-data") + " --quiet --json '" + file + "'";
    Measured measured;
    if (std::system(command.c_str()) == 0) {
        const nlohmann::json result = nlohmann::json::parse(std::ifstream(file), nullptr, false);
        if (!result.is_discarded())
            measured = {result["line_hops"].get<double>(),
                result["cpu_s"].get<double>() - result["elaborate_s"].get<double>(), result["lines"].get<double>()};
    }
    std::remove(file.c_str());
    return measured;
}

}  // namespace weft::bench
