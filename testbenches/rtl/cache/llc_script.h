// Requests of a test into a cache slice, one after the other as fast as it takes them, with a memory of fixed latency.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rtl/cache/llc_rtl.h"
#include "rtl/cache/reference_slice.h"
#include "testbenches/rtl/cache/llc_bench.h"
#include "testbenches/rtl/rtl_test.h"

namespace weft::test {

LineBits llc_request(unsigned op, std::uint64_t address, unsigned size, std::uint64_t operand = 0,
    unsigned function = 0, std::uint64_t comparand = 0);
LineBits llc_read(std::uint64_t address, unsigned size = 64);
LineBits llc_write(std::uint64_t address, unsigned size = 64, std::uint64_t value = 0);
LineBits llc_add(std::uint64_t address, std::uint64_t operand, bool fetch = true);  // 8 bytes

class LlcScript {
public:
    // `memory`: clocks from a read on the pins to the line being taken, if the slice does not make it wait.
    explicit LlcScript(LlcBlock& block, std::uint32_t memory = 10);
    // No assertion of the block may have failed.
    ~LlcScript() { EXPECT_EQ(block_.failure(), ""); }
    LlcScript(const LlcScript&) = delete;
    LlcScript& operator=(const LlcScript&) = delete;

    // Queues a request; its number, from 0, is its tag.
    std::uint32_t ask(LineBits request);
    void run(std::uint64_t clocks);
    // Until everything is answered; false if that takes more than `most` clocks.
    bool finish(std::uint64_t most = 100'000);
    // Clocks from `flush` to `flushed`.
    std::uint64_t flush();

    struct Answer {
        std::uint64_t taken = 0;     // clock in which the request was taken
        std::uint64_t answered = 0;  // 0: not yet
        LineBits response = {};
        std::uint64_t word() const;
    };
    const Answer& answer(std::uint32_t number) const { return answers_[number]; }
    std::uint64_t latency(std::uint32_t number) const { return answers_[number].answered - answers_[number].taken; }
    std::size_t answered() const { return order_.size(); }
    const std::vector<std::uint32_t>& order() const { return order_; }
    std::uint64_t clock() const { return clock_; }

    using Contents = std::array<std::uint8_t, 64>;
    Contents& memory(std::uint64_t line) { return memory_[line]; }

    struct Traffic {
        std::uint64_t clock;
        std::uint64_t line;
    };
    std::vector<Traffic> reads;  // as memory took them
    std::vector<Traffic> writes;
    std::uint64_t hits = 0, misses = 0, merged = 0, write_backs = 0;
    bool resp_ready = true, mem_read_ready = true, mem_write_ready = true, mem_resp_valid = true;
    LlcIn in;
    LlcOut out;  // of the last clock
    bool fill_was_on_pins() const { return fill_on_pins_; }

private:
    void drive();
    void observe();

    struct Fill {
        std::uint64_t due;
        LineBits line;
    };
    LlcBlock& block_;
    std::uint32_t latency_;
    bool fill_on_pins_ = false;
    std::uint64_t clock_ = 1;
    std::deque<LineBits> asked_;
    std::deque<Fill> fills_;
    std::vector<Answer> answers_;
    std::vector<std::uint32_t> order_;
    std::map<std::uint64_t, Contents> memory_;
};

// Block and reference model by turns.
enum class LlcKind { reference, rtl };

class LlcKindTest : public RtlTest, public ::testing::WithParamInterface<LlcKind> {
protected:
    void SetUp() override
    {
        if (GetParam() == LlcKind::rtl) RtlTest::SetUp();
    }
    static std::unique_ptr<LlcBlock> make(const LlcParameters& parameters)
    {
        if (GetParam() == LlcKind::reference) return std::make_unique<ReferenceSlice>(parameters);
        return std::make_unique<LlcRtl>(parameters, "dut");
    }
};

inline std::string llc_kind_name(const ::testing::TestParamInfo<LlcKind>& info)
{
    return info.param == LlcKind::reference ? "Reference" : "Rtl";
}

}  // namespace weft::test

#define WEFT_LLC_KINDS(suite)                                                                                          \
    INSTANTIATE_TEST_SUITE_P(Both, suite, ::testing::Values(test::LlcKind::reference, test::LlcKind::rtl),             \
        test::llc_kind_name)
