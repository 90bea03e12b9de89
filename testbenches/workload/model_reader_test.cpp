#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "collectives/workload/model_reader.h"
#include "testbenches/support/scratch_folder.h"

namespace model_reader_test {

using namespace weft;
using namespace weft::workload;

namespace {

const char* const good =
    "model: mine\nkind: transformer\nlayers: 4\nhidden: 64\nheads: 8\nffn: 256\nvocabulary: 1000\nsequence: 128\n";

std::string refusal(const std::string& text)
{
    try {
        read_model("m.yaml", text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(ModelReader, TakesDefaultsFromWhatIsGiven)
{
    const Transformer model = read_model("m.yaml", good).transformer;
    EXPECT_EQ(model.kv_heads, 8u);
    EXPECT_EQ(model.head_width, 8u);
    EXPECT_TRUE(model.gated);
    EXPECT_FALSE(model.tied);
}

TEST(ModelReader, NamesTheLineOfEveryMistake)
{
    const std::string text = good;
    EXPECT_EQ(refusal(text + "exprts: 4\n"),
        "m.yaml:9: unknown model key 'exprts'; expected a field of the model (did you mean 'experts'?)");
    EXPECT_NE(refusal(text + "experts: 4\ntop_k: 8\nexpert_ffn: 64\n").find("'top_k' is 8 of 4 experts"),
        std::string::npos);
    EXPECT_NE(refusal(text + "experts: 4\n").find("without 'top_k'"), std::string::npos);
    EXPECT_NE(refusal(text + "kv_heads: 3\n").find("8 heads share 3 heads of keys"), std::string::npos);
    EXPECT_NE(refusal(text + "dense_layers: 2\n").find("keys of experts without 'experts'"), std::string::npos);
    EXPECT_NE(
        refusal(text + "gated: perhaps\n").find("m.yaml:9: 'gated' is the text 'perhaps'; expected true or false"),
        std::string::npos);
    EXPECT_NE(refusal("model: x\nkind: tranformer\n").find("m.yaml:2: unknown kind 'tranformer'"), std::string::npos);
    EXPECT_NE(
        refusal("model: x\nkind: transformer\nlayers: 0\n").find("m.yaml:3: 'layers' is 0; expected 1 to 1000000000"),
        std::string::npos);
    EXPECT_NE(refusal("[1]").find("m.yaml:1: the model is a list; expected a mapping"), std::string::npos);
    EXPECT_NE(refusal(text + "published:\n  - {quantity: weight, value: 3, source: a, grade: b}\n")
                  .find("m.yaml:10: unknown quantity 'weight'"),
        std::string::npos);
}

TEST(ModelReader, HeadsDivideTheHiddenWidthUnlessTheirsIsGiven)
{
    const auto model = [](const std::string& hidden, const std::string& more) {
        return "model: mine\nkind: transformer\nlayers: 4\nhidden: " + hidden +
            "\nheads: 3\nffn: 256\nvocabulary: 1000\nsequence: 128\n" + more;
    };
    EXPECT_EQ(refusal(model("1000", "")),
        "m.yaml:4: hidden 1000 is not a multiple of heads 3; expected a multiple, or head_width");
    EXPECT_EQ(refusal(model("1000", "head_width: 320\n")), "");
    EXPECT_EQ(refusal(model("1000", "latent: {kv_rank: 8, nope_width: 8, rope_width: 4, value_width: 8}\n")), "");
    EXPECT_EQ(refusal(model("999", "")), "");
    EXPECT_EQ(refusal(model("none", "")).find("multiple"), std::string::npos);  // only what is wrong itself
}

TEST(ModelReader, OfRecommendationHoldsTablesAndLookUpsTogether)
{
    const std::string text = "model: d\nkind: dlrm\nrows: [10, 20]\nlookups: [1]\nwidth: 8\nbottom: [4, 8]\ntop: [1]\n";
    EXPECT_NE(refusal(text).find("1 'lookups' for 2 tables"), std::string::npos);
}

TEST(ModelReader, FindsFilesAndNearestNames)
{
    const test::ScratchFolder folder;
    const std::string path = folder.file("mine.yaml");
    write_text_file(path, good);
    EXPECT_EQ(load_model(path).name, "mine");
    try {
        load_model("lama3_70b");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'llama3_70b'?"), std::string::npos);
    }
}

}  // namespace model_reader_test
