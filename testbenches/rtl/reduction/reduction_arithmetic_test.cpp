// The arithmetic of the block, of base/element.h and of whole numbers, over operands of all kinds: the same bits.
#include <algorithm>
#include <cstring>

#include "rtl/verilated/verilated_block.h"
#include "testbenches/rtl/reduction/exact_arithmetic.h"
#include "testbenches/rtl/reduction/operand_source.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::test::reduction_arithmetic_test {
namespace {

// How many pairs of operands are tried for each type and operation.
std::uint64_t operand_pairs() { return by_default(1'050'000, 10'500'000); }

class Adder {
public:
    Adder()
        : block_(block_library(source()), "adder"), element_(block_.pin("element")),
          reduction_(block_.pin("reduction")), accumulator_(block_.pin("accumulator")), operand_(block_.pin("operand")),
          result_(block_.pin("result"))
    {
        block_.pin("enable").set(0, 1, 1);
    }
    void combine(ElementType type, ReduceOp op, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* result)
    {
        element_.set(0, 2, static_cast<std::uint64_t>(type));
        reduction_.set(0, 2, static_cast<std::uint64_t>(op));
        accumulator_.copy_in(0, a, 64);
        operand_.copy_in(0, b, 64);
        block_.eval();
        result_.copy_out(0, result, 64);
    }

private:
    static BlockSource source()
    {
        BlockSource source;
        source.top = "weft_combine";
        for (const char* const name : {"weft_group_pkg", "weft_fp32_pkg", "weft_combine_word", "weft_combine"})
            source.files.push_back(rtl_file(std::string("reduction/") + name + ".sv"));
        return source;
    }
    VerilatedBlock block_;
    Pin element_, reduction_, accumulator_, operand_, result_;
};

class ReductionArithmeticTest : public RtlTest {
protected:
    void compare(ElementType type)
    {
        Adder adder;
        OperandSource operands(static_cast<std::uint64_t>(type) + 1);
        std::uint8_t a[64];
        std::uint8_t b[64];
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max})
            for (std::uint64_t i = 0; i < operand_pairs(); i += 64 / size_of(type)) {
                operands.line(type, a);
                operands.line(type, b);
                std::uint8_t block[64];
                std::uint8_t model[64];
                std::uint8_t exact[64];
                adder.combine(type, op, a, b, block);
                std::memcpy(model, a, 64);
                reduce_elements(type, op, model, b, 64);
                std::memcpy(exact, a, 64);
                exact_combine(type, op, exact, b);
                if (std::memcmp(block, exact, 64) == 0 && std::memcmp(model, exact, 64) == 0) continue;
                const std::uint8_t* const wrong = std::memcmp(block, exact, 64) != 0 ? block : model;
                const auto at = static_cast<std::size_t>(std::mismatch(exact, exact + 64, wrong).first - exact) & ~3U;
                std::uint32_t words[5];
                const std::uint8_t* const lines[] = {a, b, exact, block, model};
                for (unsigned k = 0; k < 5; ++k) std::memcpy(&words[k], lines[k] + at, 4);
                FAIL() << name_of(type) << ' ' << name_of(op) << std::hex << ' ' << words[0] << ' ' << words[1]
                       << ": exact " << words[2] << ", block " << words[3] << ", model " << words[4];
            }
    }
};

TEST_F(ReductionArithmeticTest, Int32IsExact) { compare(ElementType::int32); }
TEST_F(ReductionArithmeticTest, Fp32IsExact) { compare(ElementType::fp32); }
TEST_F(ReductionArithmeticTest, Bf16IsExact) { compare(ElementType::bf16); }
TEST_F(ReductionArithmeticTest, BytesAreExact) { compare(ElementType::u8); }

// Sums of which it is known what they are.
TEST(ExactArithmetic, KnowsWhatIsKnown)
{
    EXPECT_EQ(exact_fp32_sum(0x3f800000, 0x3f800000), 0x40000000U);
    EXPECT_EQ(exact_fp32_sum(0x3f800000, 0xbf800000), 0U);
    EXPECT_EQ(exact_fp32_sum(0x80000000, 0x80000000), 0x80000000U);
    EXPECT_EQ(exact_fp32_sum(0x80000000, 0), 0U);
    EXPECT_EQ(exact_fp32_sum(1, 1), 2U);
    EXPECT_EQ(exact_fp32_sum(0x007fffff, 1), 0x00800000U);
    EXPECT_EQ(exact_fp32_sum(0x00800000, 0x80000001), 0x007fffffU);
    EXPECT_EQ(exact_fp32_sum(0x7f7fffff, 0x7f7fffff), 0x7f800000U);
    EXPECT_EQ(exact_fp32_sum(0x7f7fffff, 0x73000000), 0x7f800000U);  // half a step above the largest
    EXPECT_EQ(exact_fp32_sum(0x7f7fffff, 0x72ffffff), 0x7f7fffffU);
    EXPECT_EQ(exact_fp32_sum(0x3f800000, 0x33800000), 0x3f800000U);  // ties go to even
    EXPECT_EQ(exact_fp32_sum(0x3f800001, 0x33800000), 0x3f800002U);
    EXPECT_EQ(exact_fp32_sum(0x3f800000, 0x33800001), 0x3f800001U);
    EXPECT_EQ(exact_fp32_sum(0x3f800000, 0x80000001), 0x3f800000U);
    EXPECT_EQ(exact_fp32_sum(0x7f800000, 0xff800000), 0x7fffffffU);
    EXPECT_EQ(exact_fp32_sum(0xff800000, 0x3f800000), 0xff800000U);
    EXPECT_EQ(exact_bf16_sum(0x3f80, 0x3b80), 0x3f80);  // 1 + 2^-8: halfway, to even
    EXPECT_EQ(exact_bf16_sum(0x3f81, 0x3b80), 0x3f82);
    EXPECT_EQ(exact_bf16_sum(0x7f80, 0xff80), 0x7fff);
}

}  // namespace
}  // namespace weft::test::reduction_arithmetic_test
