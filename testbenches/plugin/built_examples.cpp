#include "testbenches/plugin/built_examples.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text_file.h"

namespace weft::plugin_test {

int command(const std::vector<std::string>& words, const std::string& log)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(file, 1);
        ::dup2(file, 2);
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        if (::chdir(WEFT_SOURCE_DIR) != 0) ::_exit(99);
        ::execvp(arguments[0], arguments.data());
        ::_exit(98);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

namespace {

// The run of ctest that started this process: its number and when it began. Empty: nobody knows what was built since.
std::string run_of_ctest()
{
    std::ifstream in("/proc/" + std::to_string(::getppid()) + "/stat");
    std::string number, name, other, began;
    in >> number >> name;
    for (int field = 3; field < 22; ++field) in >> other;
    in >> began;
    return in && name == "(ctest)" ? number + " " + began : "";
}

BuiltExamples build()
{
    BuiltExamples out;
    out.folder = std::string(WEFT_BINARY_DIR) + "/plugin_test";
    ::mkdir(out.folder.c_str(), 0700);
    const int lock = ::open((out.folder + "/lock").c_str(), O_RDWR | O_CREAT, 0600);
    ::flock(lock, LOCK_EX);
    const std::string prefix = out.folder + "/prefix";
    const std::string stamp = out.folder + "/built_by";
    const std::string this_run = run_of_ctest();
    const bool built_already = !this_run.empty() && std::filesystem::exists(stamp) && read_text_file(stamp) == this_run;
    const std::string log = out.folder + "/log.txt";
    std::vector<std::vector<std::string>> steps;
    if (!built_already) {
        // Headers of an earlier installation would stand in for those that the package lacks.
        std::filesystem::remove_all(prefix + "/include");
        steps.push_back({CMAKE_PROGRAM, "--install", WEFT_BINARY_DIR, "--prefix", prefix});
    }
    for (const std::string example : {"user_switch", "base_protocol_router", "base_protocol_memory"}) {
        if (built_already) break;
        const std::string built = out.folder + "/" + example;
        steps.push_back({CMAKE_PROGRAM, "-S", std::string(WEFT_SOURCE_DIR) + "/examples/" + example, "-B", built,
            "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror " CXX_FLAGS,
            "-DCMAKE_CXX_COMPILER_LAUNCHER=" CXX_LAUNCHER, "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"});
        steps.push_back({CMAKE_PROGRAM, "--build", built});
    }
    for (const std::vector<std::string>& step : steps) {
        if (command(step, log) == 0) continue;
        out.problem = read_text_file(log);
        break;
    }
    if (out.problem.empty()) write_text_file(stamp, this_run);
    ::close(lock);
    out.my_switch = out.folder + "/user_switch/libmy_switch.so";
    out.lt_memory = out.folder + "/base_protocol_memory/liblt_memory.so";
    out.base_router = out.folder + "/base_protocol_router/libbase_router.so";
    return out;
}

}  // namespace

const BuiltExamples& built_examples()
{
    static const BuiltExamples examples = build();
    return examples;
}

commands_test::Outcome weft(const std::vector<std::string>& arguments)
{
    built_examples();
    return commands_test::call(arguments);
}

}  // namespace weft::plugin_test
