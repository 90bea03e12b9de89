#include "platform/parallel/launched.h"

#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr const char* module_name = "weft_mpi.so";

struct LauncherVariables {
    const char* name;
    const char* rank;
    const char* size;  // null: it does not say
};
// srun without a plug-in of MPI (--mpi=none) sets none of them: its processes know nothing of each other.
constexpr LauncherVariables known_launchers[] = {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE"}, {"PMIx", "PMIX_RANK", nullptr}};

std::string folder_of_program()
{
    std::string path(4096, '\0');
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    if (length <= 0) return ".";
    path.resize(static_cast<std::size_t>(length));
    return path.substr(0, path.rfind('/'));
}

}  // namespace

Launch launch_of_environment()
{
    if (std::getenv("WEFT_ALONE") != nullptr) return {};
    for (const LauncherVariables& launcher : known_launchers) {
        const char* const rank = std::getenv(launcher.rank);
        const char* const size = launcher.size == nullptr ? nullptr : std::getenv(launcher.size);
        if (rank == nullptr || (launcher.size != nullptr && size == nullptr)) continue;
        return {launcher.name, size == nullptr ? 0 : std::strtoull(size, nullptr, 10), std::string(rank) == "0"};
    }
    return {};
}

std::string launched_apart()
{
    const char* const number = std::getenv("SLURM_PROCID");
    const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    if (number == nullptr || tasks == nullptr || std::getenv("WEFT_ALONE") != nullptr) return "";
    if (!launch_of_environment().launcher.empty() || std::string(number) != "0" || std::string(tasks) == "1") return "";
    return fmt::format(
        "srun has started {} processes without MPI, and each of them simulates the whole system: srun --mpi=pmix or "
        "mpirun makes them one run, WEFT_ALONE=1 says that this is meant",
        tasks);
}

std::string processes_module_file()
{
    const std::string folder = folder_of_program();
    for (const std::string& place : {folder + "/", folder + "/../lib/weft/"})
        if (::access((place + module_name).c_str(), R_OK) == 0) return place + module_name;
    return "";
}

std::unique_ptr<Processes> launched_processes()
{
    const Launch launch = launch_of_environment();
    if (launch.launcher.empty() || launch.size == 1) return nullptr;
    const std::string file = processes_module_file();
    const std::string started = launch.size == 0
        ? launch.launcher + " started it"
        : fmt::format("{} started it in {} processes", launch.launcher, launch.size);
    if (file.empty())
        throw InputError("weft", 0, started + ", but this program was built without MPI",
            "a build with libopenmpi-dev, or a start without a launcher");
    // MPI loads parts of itself, which take symbols from it.
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        const char* const why = ::dlerror();
        throw InputError("weft", 0,
            fmt::format("{}, but {}", started, why == nullptr ? file + " cannot be loaded" : why),
            "the MPI library that this program was built with");
    }
    const auto* const entry = static_cast<const ProcessesModule*>(::dlsym(library, processes_entry));
    if (entry == nullptr || entry->interface_version != processes_interface)
        throw InputError(file, 0, "is of another version of Weft", "the one that was built with this program");
    std::unique_ptr<Processes> out(entry->open());
    if (launch.size != 0 && launch.size != out->size())
        throw InputError("weft", 0, fmt::format("{}, but its MPI library knows {}", started, out->size()),
            "the launcher of the MPI library that this program was built with");
    if (out->size() == 1) return nullptr;
    return out;
}

}  // namespace weft
