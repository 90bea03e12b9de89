// Parameters and operations of models, against closed forms written from the papers and against published figures.
#include <cmath>

#include <gtest/gtest.h>

#include "collectives/workload/model_reader.h"
#include "collectives/workload/parameters.h"

namespace parameters_test {

using namespace weft::workload;

TEST(ModelParameters, OfEveryNamedModelRoundToThePublishedFigures)
{
    std::size_t figures = 0;
    for (const Model& model : named_models())
        for (const Published& figure : model.published) {
            const auto printed = printed_number(figure.value);
            ASSERT_TRUE(printed) << model.name;
            const double ours = static_cast<double>(*quantity(model, figure.quantity));
            EXPECT_LE(std::abs(ours - printed->value), printed->half_digit)
                << model.name << " " << figure.quantity << ": " << ours;
            ++figures;
        }
    EXPECT_GE(figures, 16u);
}

TEST(ModelParameters, OfLlamaMixtralAndDeepSeekAreExact)
{
    EXPECT_EQ(parameters(load_model("llama3_8b")), 8'030'261'248u);
    EXPECT_EQ(parameters(load_model("llama3_70b")), 70'553'706'496u);
    EXPECT_EQ(parameters(load_model("llama3_405b")), 405'853'388'800u);
    EXPECT_EQ(parameters(load_model("mixtral_8x7b")), 46'702'792'704u);
    const Transformer deepseek = load_model("deepseek_v3").transformer;
    // Attention with its two inner norms, and an expert, as worked out by hand.
    EXPECT_EQ(attention_parameters(deepseek),
        1536u * 7168 + 1536 + 1536u * 128 * 192 + 576u * 7168 + 512 + 512u * 128 * 256 + 128u * 128 * 7168);
    EXPECT_EQ(expert_parameters(deepseek), 44'040'192u);
    EXPECT_NEAR(static_cast<double>(active_parameters(deepseek)) / 1e9, 37.55, 0.005);
}

// 12 L h^2 (1 + 13/(12 h) + (V + s)/(12 L h)) of Narayanan et al., and the last norm, which it leaves out.
TEST(ModelParameters, OfGptFollowNarayanan)
{
    for (const char* name : {"gpt3_175b", "megatron_145b", "megatron_310b", "megatron_530b", "megatron_1t"}) {
        const Transformer model = load_model(name).transformer;
        const std::uint64_t h = model.hidden;
        EXPECT_EQ(parameters(model),
            12 * model.layers * h * h + 13 * model.layers * h + (model.vocabulary + model.positions) * h + 2 * h)
            << name;
    }
}

TEST(ModelOperations, OfGptFollowNarayanan)
{
    for (const char* name : {"gpt3_175b", "megatron_145b", "megatron_1t"}) {
        const Transformer model = load_model(name).transformer;
        const double h = static_cast<double>(model.hidden);
        const double s = 2048;
        const double L = static_cast<double>(model.layers);
        const double V = static_cast<double>(model.vocabulary);
        const double formula = 24 * s * L * h * h * (1 + s / (6 * h) + V / (12 * L * h));
        EXPECT_NEAR(static_cast<double>(forward_operations(model, 2048)) * s / formula, 1, 1e-12) << name;
    }
}

// 6 per layer and token of Llama: 4 h a d + 4 h k d + 6 h f + 4 s a d.
TEST(ModelOperations, OfLlamaAndOfExpertsFollowTheLayer)
{
    const Transformer llama = load_model("llama3_70b").transformer;
    EXPECT_EQ(forward_operations(llama, 8192),
        80 * (4u * 8192 * 8192 + 4u * 8192 * 1024 + 6ull * 8192 * 28672 + 4ull * 8192 * 8192) + 2ull * 8192 * 128256);
    const Transformer mixtral = load_model("mixtral_8x7b").transformer;
    EXPECT_EQ(forward_operations(mixtral, 1024),
        32 *
                (4ull * 4096 * 4096 + 4ull * 4096 * 1024 + 6ull * 4096 * 14336 * 2 + 2ull * 4096 * 8 +
                    4ull * 1024 * 4096) +
            2ull * 4096 * 32000);
}

// 4.09 G multiply-adds of an image of 224 x 224 (common knowledge; 4.1 in most tables).
TEST(ModelOperations, OfResNetAreFourGigaMultiplyAdds)
{
    EXPECT_NEAR(static_cast<double>(forward_operations(load_model("resnet50").cnn)) / 2e9, 4.09, 0.005);
}

TEST(ModelOperations, OfRecommendationCountItsLayers)
{
    const Dlrm model = load_model("dlrm_dot").dlrm;
    const std::uint64_t bottom = 13 * 512 + 512 * 256 + 256 * 128;
    const std::uint64_t top = 479 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256;
    EXPECT_EQ(forward_operations(model), 2 * (bottom + top + 27 * 27 * 128));
    // 104.54 GB of tables in fp32.
    EXPECT_NEAR(static_cast<double>(embedding_rows(model) * 128 * 4) / 1e9, 104.54, 0.005);
}

// Bytes that a token leaves in the cache, 16 bit: workload reference, section 1.3.
TEST(ModelOperations, CachesOfPublishedModelsHaveTheirSizes)
{
    const auto bytes = [](const char* name) {
        const Transformer model = load_model(name).transformer;
        return 2 * model.layers * cached_width(model);
    };
    EXPECT_EQ(bytes("llama3_8b"), 131'072u);
    EXPECT_EQ(bytes("llama3_70b"), 327'680u);
    EXPECT_EQ(bytes("llama3_405b"), 516'096u);
    EXPECT_EQ(bytes("mixtral_8x7b"), 131'072u);
    EXPECT_EQ(bytes("deepseek_v3"), 70'272u);
    EXPECT_EQ(bytes("gpt3_175b"), 4'718'592u);
}

TEST(PrintedNumbers, KnowTheirLastDigit)
{
    EXPECT_DOUBLE_EQ(printed_number("174.6 B")->value, 174.6e9);
    EXPECT_DOUBLE_EQ(printed_number("174.6 B")->half_digit, 0.05e9);
    EXPECT_DOUBLE_EQ(printed_number("25557032")->half_digit, 0.5);
    for (const char* bad : {"", "B", "1.2.3", "12 X", ".", "-3"}) EXPECT_FALSE(printed_number(bad)) << bad;
}

}  // namespace parameters_test
