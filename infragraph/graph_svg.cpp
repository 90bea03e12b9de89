#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "infragraph/graph_text.h"

extern char** environ;

namespace weft {

namespace {

// A name of its own for a file that is gone again when this is.
class TemporaryFile {
public:
    TemporaryFile()
    {
        const char* folder = std::getenv("TMPDIR");
        path_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/weft-XXXXXX";
        const int descriptor = ::mkstemp(path_.data());
        if (descriptor < 0)
            throw InputError(path_, 0, std::string("cannot be made: ") + std::strerror(errno));
        ::close(descriptor);
    }
    ~TemporaryFile() { ::unlink(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// Runs a program found in PATH, silent on stderr, and returns its exit status; 127 when there is none.
int run(const std::vector<std::string>& command)
{
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failure = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) return 127;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string graph_svg(const Graph& graph)
{
    constexpr std::uint32_t largest_for_dot = 400;
    constexpr std::uint32_t largest = 20'000;
    if (graph.node_count() > largest)
        throw InputError("", 0,
            "a graph of " + std::to_string(graph.node_count()) + " nodes is too large to draw",
            "at most " + std::to_string(largest) + " nodes, or one of the formats dot and json");
    const std::string program = graph.node_count() + graph.edge_count() <= largest_for_dot ? "dot" : "sfdp";
    // Routing curved edges around nodes takes sfdp minutes where straight ones take it a second.
    const std::string lines = program == "dot" ? "true" : "line";
    const TemporaryFile dot;
    const TemporaryFile svg;
    write_text_file(dot.path(), graph_dot(graph));
    const int status = run({program, "-Tsvg", "-Gsplines=" + lines, dot.path(), "-o", svg.path()});
    if (status == 127)
        throw InputError("", 0, "Graphviz's '" + program + "' is not installed, so there is no SVG",
            "the package 'graphviz', or one of the formats dot and json");
    std::string text = read_text_file(svg.path());
    if (status != 0 || text.find("<svg") == std::string::npos)
        throw InputError("", 0, "Graphviz's '" + program + "' could not draw the graph",
            "a smaller graph, or one of the formats dot and json");
    return text;
}

}  // namespace weft
