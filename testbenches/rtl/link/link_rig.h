// Links of reference models, of blocks, or of one of each.
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "rtl/link/link_rtl.h"
#include "rtl/link/reference_link_endpoint.h"
#include "testbenches/rtl/link/link_bench.h"
#include "testbenches/rtl/link/parameter_sets.h"
#include "testbenches/rtl/rtl_test.h"

namespace weft::link_bench {

enum class Kind { reference, block };

inline std::unique_ptr<LinkEndpoint> make_end(Kind kind, const LinkParams& params, std::uint64_t seed = 1)
{
    if (kind == Kind::reference) return std::make_unique<ReferenceLinkEndpoint>(params);
    return std::make_unique<LinkEndpointRtl>(params, "link", seed);
}

struct Rig {
    Rig(Kind left, Kind right, const LinkParams& params, unsigned latency, std::uint64_t seed = 1,
        double left_errors = 0, double right_errors = 0)
        : ends{make_end(left, params, seed), make_end(right, params, seed + 1)},
          pair(*ends[0], *ends[1], params, params, latency, seed, left_errors, right_errors)
    {
    }
    Rig(Kind both, const LinkParams& params, unsigned latency) : Rig(both, both, params, latency) {}

    std::unique_ptr<LinkEndpoint> ends[2];
    LinkPair pair;
};

// Tests that hold for the reference model and for the block.
class LinkKindTest : public ::testing::TestWithParam<Kind> {
protected:
    void SetUp() override
    {
        if (GetParam() == Kind::reference) return;
        ::setenv("WEFT_RTL_CACHE", WEFT_BINARY_DIR "/rtl_cache", 0);
        ::setenv("WEFT_RTL_OPTIMISE", test::thorough() ? "-O1" : "-O0", 0);  // as testbenches/rtl/rtl_test.h
        if (!verilator_available()) GTEST_SKIP() << "Verilator is not installed";
    }
};

inline std::string kind_name(const ::testing::TestParamInfo<Kind>& kind)
{
    return kind.param == Kind::reference ? "reference" : "block";
}

constexpr unsigned op_read = 0, op_write = 1, op_atomic = 2, op_fetch = 3, op_reduce = 8;

// A write of `size` bytes.
inline std::function<LineBits(std::mt19937_64&)> writes(unsigned size)
{
    return [size](std::mt19937_64& random) { return line_of(random, op_write, false, size); };
}
inline LineBits some_write(unsigned size, std::uint64_t seed = 7)
{
    std::mt19937_64 random(seed);
    return line_of(random, op_write, false, size);
}

}  // namespace weft::link_bench
