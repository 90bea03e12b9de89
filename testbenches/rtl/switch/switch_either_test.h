// Tests of which each runs with the reference model and, where Verilator is at hand, with the block.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "rtl/switch/switch_rtl.h"
#include "rtl/switch/reference_switch.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/rtl/switch/switch_loop.h"

namespace weft::test {

template <class Block>
class SwitchEitherTest : public RtlTest {
protected:
    void SetUp() override
    {
        if (std::is_same_v<Block, SwitchRtl>) RtlTest::SetUp();
    }
    static std::unique_ptr<SwitchBlock> make(const SwitchBlockParameters& parameters)
    {
        if constexpr (std::is_same_v<Block, SwitchRtl>)
            return std::make_unique<SwitchRtl>(parameters, "dut");
        else
            return std::make_unique<ReferenceSwitch>(parameters);
    }
};

using ReferenceAndBlock = ::testing::Types<ReferenceSwitch, SwitchRtl>;

struct SwitchBlockName {
    template <class Block>
    static std::string GetName(int)
    {
        return std::is_same_v<Block, SwitchRtl> ? "block" : "reference";
    }
};

}  // namespace weft::test
