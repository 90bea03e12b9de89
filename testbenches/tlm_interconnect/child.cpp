#include "testbenches/tlm_interconnect/child.h"

#include <exception>
#include <iostream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::testing {

namespace {

[[noreturn]] void run_and_exit(const std::function<std::string()>& body, int out)
{
    int status = 0;
    try {
        const std::string text = body();
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t count = write(out, text.data() + done, text.size() - done);
            if (count <= 0) break;
            done += static_cast<std::size_t>(count);
        }
    } catch (const std::exception& error) {
        std::cerr << "exception: " << error.what() << std::endl;
        status = 1;
    }
    if (::testing::Test::HasFailure()) status = 1;
    std::cout.flush();
    std::cerr.flush();
    // Neither the parent's clean-up nor its exit handlers are the child's business.
    _exit(status);
}

}  // namespace

std::string in_child(const std::function<std::string()>& body)
{
    std::cout.flush();
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_and_exit(body, ends[1]);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ADD_FAILURE() << "the child process failed";
    return text;
}

}  // namespace weft::testing
