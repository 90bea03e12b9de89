// The inputs of collectives and the check of their outputs, against a model of its own: what each rank must
// hold is written down here once more, rank by rank and element by element.
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "collectives/engine/lines/contents.h"

namespace contents_test {

using namespace weft;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::uint64_t seed = 5;
const ElementType types[] = {ElementType::int32, ElementType::fp32, ElementType::bf16, ElementType::u8};

Bytes input_of(ElementType type, std::uint32_t rank, std::uint32_t ranks, std::uint64_t bytes)
{
    Bytes out(bytes);
    fill_input(type, rank, ranks, seed, 0, bytes, out.data());
    return out;
}

// A collective without steps: only its layout counts.
Schedule frame(CollectiveOp op, std::uint32_t ranks, std::uint32_t root = 0)
{
    Schedule schedule;
    schedule.op = op;
    schedule.root = root;
    schedule.ranks.resize(ranks);
    const bool whole = op == CollectiveOp::all_reduce || op == CollectiveOp::reduce || op == CollectiveOp::broadcast ||
        op == CollectiveOp::send_receive;
    schedule.chunks = whole ? 2 : 2 * ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        schedule.ranks[rank].input_chunks = schedule.message_chunks(rank, Buffer::input);
        schedule.ranks[rank].output_chunks = schedule.message_chunks(rank, Buffer::output);
    }
    return schedule;
}

// Sums over the ranks, element by element.
Bytes sum_of(ElementType type, const std::vector<Bytes>& inputs)
{
    Bytes sum = inputs.front();
    for (std::size_t r = 1; r < inputs.size(); ++r)
        reduce_elements(type, ReduceOp::sum, sum.data(), inputs[r].data(), sum.size());
    return sum;
}

Bytes slice(const Bytes& bytes, std::uint64_t begin, std::uint64_t size)
{
    return Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
        bytes.begin() + static_cast<std::ptrdiff_t>(begin + size));
}

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

// Four ranks, whose shares of the message are `share` bytes each.
struct Case {
    static constexpr std::uint32_t n = 4;
    Case(CollectiveOp op, ElementType element, std::uint32_t root = 0)
        : type(element), schedule(frame(op, n, root)), layout(schedule, n * share, size_of(element))
    {
        const std::uint64_t whole = n * share;
        std::vector<Bytes> inputs;
        for (std::uint32_t r = 0; r < n; ++r)
            inputs.push_back(input_of(type, r, n, layout.buffer_bytes(r, Buffer::input)));
        outputs.resize(n);
        for (std::uint32_t r = 0; r < n; ++r) {
            switch (op) {
            case CollectiveOp::all_reduce: outputs[r] = sum_of(type, inputs); break;
            case CollectiveOp::reduce:
                if (r == root) outputs[r] = sum_of(type, inputs);
                break;
            case CollectiveOp::reduce_scatter: outputs[r] = slice(sum_of(type, inputs), r * share, share); break;
            case CollectiveOp::all_gather:
            case CollectiveOp::gather:
                if (op == CollectiveOp::gather && r != root) break;
                for (const Bytes& input : inputs) append(outputs[r], input);
                break;
            case CollectiveOp::scatter: outputs[r] = slice(inputs[root], r * share, share); break;
            case CollectiveOp::all_to_all:
                for (const Bytes& input : inputs) append(outputs[r], slice(input, r * share, share));
                break;
            case CollectiveOp::broadcast: outputs[r] = slice(inputs[root], 0, whole); break;
            case CollectiveOp::send_receive:
                if (r == 1) outputs[r] = inputs[0];
                break;
            default: break;
            }
        }
    }

    std::string check() const
    {
        const auto found = mismatch(nullptr);
        return found ? found->text : "";
    }
    std::optional<OutputMismatch> mismatch(const std::function<bool(std::uint32_t)>& holds) const
    {
        return check_outputs(
            schedule, layout, type, seed,
            [this](std::uint32_t rank, std::uint64_t begin, std::uint64_t bytes, std::uint8_t* out) {
                ASSERT_LE(begin + bytes, outputs[rank].size());
                std::memcpy(out, outputs[rank].data() + begin, bytes);
            },
            holds);
    }

    static constexpr std::uint64_t share = 48;
    ElementType type;
    Schedule schedule;
    Layout layout;
    std::vector<Bytes> outputs;
};

const CollectiveOp ops[] = {CollectiveOp::all_reduce, CollectiveOp::reduce, CollectiveOp::reduce_scatter,
    CollectiveOp::all_gather, CollectiveOp::gather, CollectiveOp::scatter, CollectiveOp::all_to_all,
    CollectiveOp::broadcast};

}  // namespace

TEST(Contents, ARangeIsTheSameAsThatPartOfTheWhole)
{
    for (const ElementType type : types) {
        const Bytes whole = input_of(type, 3, 8, 400);
        Bytes part(120);
        fill_input(type, 3, 8, seed, 40, 120, part.data());
        EXPECT_EQ(part, slice(whole, 40, 120)) << name_of(type);
    }
}

TEST(Contents, RanksSeedsAndPlacesDiffer)
{
    for (const ElementType type : types) {
        const Bytes one = input_of(type, 0, 4, 400);
        EXPECT_NE(one, input_of(type, 1, 4, 400)) << name_of(type);
        Bytes other(400);
        fill_input(type, 0, 4, seed + 1, 0, 400, other.data());
        EXPECT_NE(one, other) << name_of(type);
        EXPECT_NE(slice(one, 0, 100), slice(one, 100, 100)) << name_of(type);
    }
}

TEST(Contents, FloatsAreIntegersWhoseSumsAreExact)
{
    for (const std::uint32_t ranks : {1u, 2u, 8u, 100u, 256u, 300u, 4096u}) {
        double largest = 0;
        for (std::uint32_t element = 0; element < 16; ++element) {
            double sum = 0;
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                std::uint16_t raw = 0;
                fill_input(ElementType::bf16, rank, ranks, seed, element * 2, 2, reinterpret_cast<std::uint8_t*>(&raw));
                const double value = static_cast<double>(bf16_to_fp32(raw));
                EXPECT_EQ(value, static_cast<double>(static_cast<int>(value)));
                EXPECT_GE(value, 0);
                sum += value;
            }
            largest = std::max(largest, sum);
        }
        EXPECT_LE(largest, 256) << ranks << " ranks";  // what bf16 holds exactly
        EXPECT_GT(largest, 0) << ranks << " ranks";
    }
    Bytes raw = input_of(ElementType::fp32, 7, 16, 4096);
    for (std::size_t i = 0; i < raw.size(); i += 4) {
        float value = 0;
        std::memcpy(&value, raw.data() + i, 4);
        EXPECT_EQ(value, static_cast<float>(static_cast<int>(value)));
        EXPECT_LE(std::abs(value), 2048);
    }
}

TEST(Contents, RightOutputsPass)
{
    for (const CollectiveOp op : ops)
        for (const ElementType type : types)
            for (const std::uint32_t root : {0u, 2u})
                EXPECT_EQ(Case(op, type, root).check(), "") << name_of(op) << " " << name_of(type);
}

TEST(Contents, OneWrongByteAnywhereIsFoundAndNamed)
{
    for (const CollectiveOp op : ops)
        for (const ElementType type : types) {
            Case good(op, type);
            for (std::uint32_t rank = 0; rank < Case::n; ++rank)
                for (std::size_t at = 0; at < good.outputs[rank].size(); ++at) {
                    good.outputs[rank][at] ^= 0x40;
                    const std::string text = good.check();
                    const std::size_t element = at / size_of(type) * size_of(type);
                    EXPECT_EQ(text.find("rank " + std::to_string(rank) + ": output chunk "), 0u) << text;
                    EXPECT_NE(text.find(", byte " + std::to_string(element) + ": expected " + name_of(type)),
                        std::string::npos)
                        << name_of(op) << ": " << text;
                    good.outputs[rank][at] ^= 0x40;
                }
            EXPECT_EQ(good.check(), "");
        }
}

TEST(Contents, TheTextHoldsExpectedAndFoundValues)
{
    Case wrong(CollectiveOp::broadcast, ElementType::u8);
    const std::uint8_t right = wrong.outputs[2][49];
    wrong.outputs[2][49] = static_cast<std::uint8_t>(right + 1);
    EXPECT_EQ(wrong.check(),
        "rank 2: output chunk 0, byte 49: expected u8 " + std::to_string(right) + ", found " +
            std::to_string(static_cast<std::uint8_t>(right + 1)));
}

TEST(Contents, TwoChunksInEachOthersPlaceAreFound)
{
    for (const CollectiveOp op :
        {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::all_to_all, CollectiveOp::broadcast}) {
        Case swapped(op, ElementType::int32);
        Bytes& out = swapped.outputs[1];
        std::swap_ranges(out.begin(), out.begin() + 48, out.begin() + 96);
        EXPECT_EQ(swapped.check().find("rank 1: output chunk 0, byte 0: expected int32"), 0u) << name_of(op);
    }
}

TEST(Contents, AMissingContributionIsFound)
{
    for (const ElementType type : types) {
        Case wrong(CollectiveOp::all_reduce, type);
        std::vector<Bytes> three;
        for (const std::uint32_t rank : {0u, 1u, 3u}) three.push_back(input_of(type, rank, 4, 4 * Case::share));
        wrong.outputs[0] = sum_of(type, three);
        EXPECT_EQ(wrong.check().find("rank 0: output chunk 0, byte "), 0u) << wrong.check();
    }
}

TEST(Contents, MinimumAndMaximumAreDemandedWhereTheScheduleSaysSo)
{
    Case sums(CollectiveOp::all_reduce, ElementType::int32);
    sums.schedule.reduction = ReduceOp::max;
    EXPECT_NE(sums.check(), "");
}

TEST(Contents, BarriersAndCustomSchedulesHaveNothingToCompare)
{
    Schedule schedule = frame(CollectiveOp::custom, 2);
    const auto never = [](std::uint32_t, std::uint64_t, std::uint64_t, std::uint8_t*) { FAIL(); };
    EXPECT_EQ(check_outputs(schedule, Layout(schedule, 64, 1), ElementType::u8, seed, never), std::nullopt);
    schedule.op = CollectiveOp::barrier;
    EXPECT_EQ(check_outputs(schedule, Layout(schedule, 0, 1), ElementType::u8, seed, never), std::nullopt);
}

// Each process of a run compares the ranks that it has: the least chunk and rank of all is what one process finds.
TEST(Contents, RanksOfOtherProcessesAreNotCompared)
{
    Case gathered(CollectiveOp::all_gather, ElementType::int32);
    gathered.outputs[1].back() ^= 1;
    gathered.outputs[2].front() ^= 1;
    const auto whole = gathered.mismatch(nullptr);
    const auto low = gathered.mismatch([](std::uint32_t rank) { return rank < 2; });
    const auto high = gathered.mismatch([](std::uint32_t rank) { return rank >= 2; });
    ASSERT_TRUE(whole && low && high);
    EXPECT_EQ(whole->text, high->text);
    EXPECT_EQ(whole->rank, 2U);
    EXPECT_EQ(low->rank, 1U);
    EXPECT_GT(low->chunk, high->chunk);
    EXPECT_FALSE(gathered.mismatch([](std::uint32_t rank) { return rank == 0; }));
}

}  // namespace contents_test
