// Cycles of systolic arrays, against the equations and the golden outputs of SCALE-Sim.
#include <stdexcept>

#include <gtest/gtest.h>

#include "gpu/kernels/systolic.h"

namespace systolic_test {

using namespace weft;

namespace {

SystolicArray array_of(Dataflow dataflow, bool drains = true)
{
    SystolicArray array;
    array.rows = 32;
    array.columns = 32;
    array.dataflow = dataflow;
    array.drains = drains;
    return array;
}

}  // namespace

// v2 test/golden_trace: AlexNet's first convolution, 224 x 224, 11 x 11, 3 to 96 channels, stride 4: 54.25 rounded to 55.
TEST(Systolic, TakesTheGoldenCyclesOfAlexNet)
{
    const SystolicCycles cycles = systolic_cycles(array_of(Dataflow::weight_stationary), 55 * 55, 96, 11 * 11 * 3);
    EXPECT_EQ(cycles.folds, 36u);
    EXPECT_EQ(cycles.per_fold, 3119u);
    EXPECT_EQ(cycles.total, 112'283u);
}

// v3 test/general: M, N, K = 256, 128, 256; totals without stalls are 52,447 - 42,272, 52,447 - 41,248 and 19,984 - 5,777.
TEST(Systolic, TakesTheGoldenCyclesOfAProductInEveryDataflow)
{
    EXPECT_EQ(systolic_cycles(array_of(Dataflow::output_stationary, false), 256, 128, 256).total, 52'447u - 42'272);
    EXPECT_EQ(systolic_cycles(array_of(Dataflow::weight_stationary), 256, 128, 256).total, 52'447u - 41'248);
    EXPECT_EQ(systolic_cycles(array_of(Dataflow::input_stationary), 256, 128, 256).total, 19'984u - 5'777);
}

// 2 R + C + T - 2 in every dataflow, as the paper has it.
TEST(Systolic, DrainsOutputsAsThePaperHasIt)
{
    EXPECT_EQ(systolic_cycles(array_of(Dataflow::output_stationary), 256, 128, 256).per_fold, 2u * 32 + 32 + 256 - 2);
}

TEST(Systolic, SharesFoldsOutOverArrays)
{
    SystolicArray array = array_of(Dataflow::weight_stationary);
    const SystolicCycles one = systolic_cycles(array, 100, 128, 128, 3);
    EXPECT_EQ(one.folds, 4u * 4 * 3);
    array.arrays = 5;
    EXPECT_EQ(systolic_cycles(array, 100, 128, 128, 3).total, 10 * one.per_fold - 1);  // ceil(48 / 5)
}

// TPU v3: 4 x 128 x 128 x 2 x 0.94 GHz = 123 TFLOP/s, published as 123.
TEST(Systolic, HasThePeakOfTpuV3)
{
    SystolicArray array;
    array.arrays = 4;
    EXPECT_NEAR(systolic_peak(array, 940'000'000) / 1e12, 123, 0.5);
}

TEST(Systolic, RefusesWhatCannotBeCounted)
{
    EXPECT_THROW(systolic_cycles(array_of(Dataflow::weight_stationary), 1u << 31, 1u << 31, 1u << 31, 1u << 31),
        std::overflow_error);
}

}  // namespace systolic_test
