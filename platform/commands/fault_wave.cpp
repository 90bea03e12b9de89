#include "platform/commands/fault_wave.h"

#include <filesystem>

#include <fmt/format.h>

#include "platform/applications/sweep/processes.h"
#include "platform/console/temporary_folder.h"

namespace weft {

namespace {

std::string numbered(const std::string& file, std::size_t number)
{
    std::filesystem::path path(file);
    const std::string suffix = path.extension().string();
    return path.replace_extension(fmt::format("{}{}", number, suffix)).string();
}

}  // namespace

std::vector<std::string> write_fault_waves(const BlockFault& fault, const Arguments& run, const std::string& file)
{
    const TemporaryFolder folder("weft-fault");
    ProcessCall call;
    call.arguments = {"run"};
    call.arguments.insert(call.arguments.end(), run.begin(), run.end());
    std::vector<std::string> files;
    for (std::size_t i = 0; i < fault.instances.size(); ++i) {
        files.push_back(fault.instances.size() == 1 ? file : numbered(file, i));
        call.arguments.push_back("--wave=" + fault.instances[i] + "=" + files.back());
        std::error_code none;
        std::filesystem::remove(files.back(), none);  // of an earlier run
    }
    const Time before = fault_wave_clocks * fault.clock;
    call.arguments.push_back(
        fmt::format("--wave-window={}ps:{}ps", fault.at > before ? fault.at - before : 0, fault.at + fault.clock));
    call.arguments.insert(call.arguments.end(), {"--fault-wave=none", "--quiet"});
    call.error_path = folder.file(0, ".txt");
    run_processes({call}, 1, [](std::size_t, ProcessEnd) {});
    std::vector<std::string> written;
    for (const std::string& name : files)
        if (std::filesystem::exists(name)) written.push_back(name);
    return written;
}

}  // namespace weft
