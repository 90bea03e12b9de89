// Plans that are damaged at random: read and judged, or refused, and nothing else.
#include <random>

#include <gtest/gtest.h>

#include "collectives/plans/msccl_reader.h"
#include "collectives/plans/msccl_writer.h"
#include "collectives/plans/mscclpp_reader.h"
#include "testbenches/plans/fixtures.h"

namespace fuzz_test {

using namespace weft;
using namespace weft::plans_test;

namespace {

// Some bytes replaced, taken out or doubled; numbers and letters more often than not.
std::string damaged(std::string text, std::mt19937_64& random)
{
    const std::string letters = "0123456789-\"<>{}[],:=iosrc /";
    const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
    for (std::size_t left = 1 + below(4); left > 0; --left) {
        const std::size_t at = below(text.size());
        switch (below(4)) {
        case 0: text[at] = static_cast<char>(random() % 256); break;
        case 1: text[at] = letters[below(letters.size())]; break;
        case 2: text.erase(at, 1 + below(20)); break;
        default: text.insert(at, text.substr(below(text.size()), 1 + below(40)));
        }
    }
    return text;
}

template <typename Read>
void expect_an_answer(const std::string& text, Read&& read)
{
    std::mt19937_64 random(20260101);
    int read_well = 0;
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string plan = damaged(text, random);
        try {
            const Plan result = read(plan);
            if (judge(result).ok) {
                ++read_well;
                write_msccl_xml(result.schedule);
            }
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(read_well, 10);
    EXPECT_GT(refused, 1000);
}

}  // namespace

TEST(PlansFuzz, MscclXml)
{
    expect_an_answer(pair_xml, [](const std::string& text) { return read_msccl_xml(text, "plan.xml"); });
}

TEST(PlansFuzz, MscclppJson)
{
    expect_an_answer(pair_json, [](const std::string& text) { return read_mscclpp_json(text, "plan.json"); });
}

}  // namespace fuzz_test
