#include "testbenches/parallel/launcher.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "testbenches/support/scratch_folder.h"

namespace weft::testing {

namespace {

namespace fs = std::filesystem;

// A variable of a process's environment.
std::string variable_of(pid_t process, const std::string& name)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/environ");
    for (std::string entry; std::getline(file, entry, '\0');)
        if (entry.compare(0, name.size() + 1, name + "=") == 0) return entry.substr(name.size() + 1);
    return "";
}

// Open MPI keeps a folder for all launchers of a user: one that ends removes it while another that starts makes its own below.
const std::string& own_session_folder()
{
    static std::deque<weft::test::ScratchFolder> folders;
    return folders.emplace_back().path();
}

}  // namespace

std::string missing_launcher()
{
    if (!fs::exists(fs::path(WEFT_PROGRAM).parent_path() / "weft_mpi.so")) return "the program was built without MPI";
    std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/mpirun").c_str(), X_OK) == 0) return "";
    return "mpirun is absent";
}

std::vector<std::string> launch(unsigned processes, const std::vector<std::string>& arguments,
    const std::string& program)
{
    // Tests run as root in containers, and share the cores with other tests.
    std::vector<std::string> out{"--allow-run-as-root", "--oversubscribe", "--mca", "orte_tmpdir_base",
        own_session_folder(), "--timeout", "300", "-n", std::to_string(processes)};
#ifdef __SANITIZE_ADDRESS__
    // Open MPI loses memory at its end, in modules that are unloaded by then, which no suppression names.
    const char* const options = std::getenv("ASAN_OPTIONS");
    out.insert(out.end(),
        {"-x", std::string("ASAN_OPTIONS=") + (options == nullptr ? "" : options) + ":detect_leaks=0"});
#endif
    out.push_back(program);
    out.insert(out.end(), arguments.begin(), arguments.end());
    return out;
}

// They stand between rules of dashes; a library of the launcher says where it finds no /sys.
std::string without_remarks(const std::string& err)
{
    std::string out;
    bool remark = false;
    std::istringstream lines(err);
    for (std::string line; std::getline(lines, line);) {
        const bool rule = line.size() > 60 && line.find_first_not_of('-') == std::string::npos;
        if (rule) {
            remark = !remark;
        } else if (!remark && line.rfind("[hwloc/", 0) != 0) {
            out += line + "\n";
        }
    }
    return out;
}

commands_test::Outcome call_processes(unsigned processes, const std::vector<std::string>& arguments,
    const std::string& program)
{
    commands_test::Process process(launch(processes, arguments, program), "", "mpirun");
    commands_test::Outcome out = process.wait();
    out.err = without_remarks(out.err);
    return out;
}

std::vector<pid_t> processes_below(pid_t parent, unsigned processes)
{
    std::vector<pid_t> out(processes, 0);
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::string word;
        pid_t above = 0;
        std::ifstream status(entry.path() / "status");
        while (status >> word && word != "PPid:") {
        }
        status >> above;
        if (above != parent) continue;
        const auto process = static_cast<pid_t>(std::stol(name));
        const std::string number = variable_of(process, "OMPI_COMM_WORLD_RANK");
        if (!number.empty() && std::stoul(number) < processes) out[std::stoul(number)] = process;
    }
    return out;
}

bool alive(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

}  // namespace weft::testing
