// Runs in parts compared with the run as a whole, byte for byte.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "testbenches/platform/runs.h"

namespace weft::testing {

// How a run is cut, and in which order its parts run.
struct Cut {
    std::uint32_t partitions = 1;
    bool backwards = false;
    std::uint32_t threads = 1;
};

// The result as JSON without wall-clock times, with reports and with who is blocked; or "refused: " and why.
std::string bytes_of(RunSetup setup, const Cut& cut);

// Where two texts differ first, for people; empty where they do not.
std::string difference(const std::string& a, const std::string& b);

// Fails where a run in one of these numbers of parts, forwards, backwards or in two threads, differs from the run as a whole, and where
// that is refused. By default each number is met, and backwards and in two threads; forwards only from three numbers on.
void expect_same(const RunSetup& setup, const std::vector<std::uint32_t>& numbers, const std::string& what);

// Why a run in so many parts is refused; "not refused" where it is not.
std::string refusal_of(const RunSetup& setup, std::uint32_t partitions);

// Pods of GPUs behind switches, joined by a core of switches with longer links.
std::string pods_document(unsigned pods, unsigned gpus, unsigned switches, unsigned near_ns, unsigned far_ns);

struct Random {
    explicit Random(unsigned seed) : engine(seed) {}

    std::mt19937 engine;
    unsigned below(unsigned limit) { return static_cast<unsigned>(engine() % limit); }
    bool one_in(unsigned number) { return below(number) == 0; }
    template <class T>
    const T& one_of(const std::vector<T>& list)
    {
        return list[below(static_cast<unsigned>(list.size()))];
    }
};

}  // namespace weft::testing
