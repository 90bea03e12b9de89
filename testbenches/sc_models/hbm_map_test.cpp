#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "base/line_size.h"
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory/hbm_map.h"

namespace hbm_map_test {

using namespace weft;

namespace {

HbmSpec spec_of(std::uint64_t channels, std::uint64_t groups = 4, std::uint64_t banks = 4, std::uint64_t row = 1024)
{
    HbmSpec spec;
    spec.channels = channels;
    spec.bank_groups = groups;
    spec.banks = banks;
    spec.row = row;
    return spec;
}

HbmPlace place_of(const HbmMap& map, std::uint64_t line, const Divider& slices)
{
    return map.place(slice_place(line, slices).slice, line);
}

}  // namespace

TEST(HbmMap, EveryRowHoldsAsManyLinesAsFitIn)
{
    struct Case {
        unsigned slices;
        HbmSpec spec;
    };
    const std::vector<Case> cases{{8, spec_of(8)}, {8, spec_of(16)}, {8, spec_of(4)}, {10, spec_of(30, 3, 5, 512)},
        {1, spec_of(1)}, {6, spec_of(2, 1, 1, 64)}};
    for (const auto& [slices, spec] : cases) {
        const HbmMap map(spec, slices);
        std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> lines;
        const std::uint64_t row_lines = spec.row / line_bytes;
        const std::uint64_t rows = 8;
        const std::uint64_t all = spec.channels * spec.bank_groups * spec.banks * rows * row_lines;
        for (std::uint64_t line = 0; line < all; ++line) {
            const HbmPlace place = place_of(map, line, Divider(slices));
            ASSERT_LT(place.channel, spec.channels);
            ASSERT_LT(place.bank, spec.bank_groups * spec.banks);
            ++lines[{place.channel, place.bank, place.row}];
        }
        EXPECT_EQ(lines.size(), all / row_lines);
        for (const auto& [place, count] : lines) ASSERT_EQ(count, row_lines);
    }
}

TEST(HbmMap, ASliceKeepsToItsChannels)
{
    for (unsigned slice = 0; slice < 8; ++slice)
        for (std::uint64_t line = 0; line < 4096; ++line) {
            EXPECT_EQ(HbmMap(spec_of(8), 8).place(slice, line).channel, slice);
            EXPECT_EQ(HbmMap(spec_of(4), 8).place(slice, line).channel, slice / 2);
            EXPECT_EQ(HbmMap(spec_of(24), 8).place(slice, line).channel / 3, slice);
        }
}

TEST(HbmMap, ConsecutiveLinesOfAChannelGoToAllBankGroups)
{
    const HbmMap map(spec_of(8), 8);
    for (std::uint64_t first = 0; first < 4096; first += 4) {
        std::set<std::uint32_t> groups;
        for (std::uint64_t i = first; i < first + 4; ++i) groups.insert(map.place(3, i * 8).bank / 4);
        EXPECT_EQ(groups.size(), 4u);
    }
}

TEST(HbmMap, LinesUnderOneTagAreNeighboursOfTheirSlice)
{
    // A slice of lines of 128 B gets two in a row: all channels of its own and all bank groups have their share.
    const Divider slices(80);
    const HbmMap map(spec_of(160), 80, 1);
    std::map<std::uint32_t, unsigned> channels;
    std::map<std::uint32_t, unsigned> groups;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> rows;
    const std::uint64_t lines = 160 * 4 * 16;
    for (std::uint64_t line = 0; line < lines; ++line) {
        const HbmPlace place = map.place(slice_place(line, slices, 1).slice, line);
        ++channels[place.channel];
        ++groups[place.channel * 4 + place.bank / 4];
        rows.insert({place.channel, place.bank, place.row});
    }
    ASSERT_EQ(channels.size(), 160u);
    for (const auto& [channel, count] : channels) EXPECT_EQ(count, lines / 160) << channel;
    for (const auto& [group, count] : groups) EXPECT_EQ(count, lines / 640) << group;
    EXPECT_EQ(rows.size(), 640u);  // each of them full
}

TEST(HbmMap, StridesSpreadOverChannelsAndBanks)
{
    // Powers of two, and what would hit one bank of one channel without a hash.
    const unsigned slices = 80;
    const HbmSpec spec = spec_of(160, 4, 8);
    const HbmMap map(spec, slices);
    const std::uint64_t one_bank = std::uint64_t{160} * 4 * 16 * 8;
    std::vector<std::uint64_t> strides{one_bank, one_bank / 8, one_bank / 8 / 16, 160, 320};
    for (unsigned shift = 0; shift <= 20; ++shift) strides.push_back(std::uint64_t{1} << shift);
    for (const std::uint64_t stride : strides) {
        std::map<std::uint32_t, unsigned> channels;
        std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> banks;
        const unsigned lines = 160 * 32 * 4;
        for (std::uint64_t i = 0; i < lines; ++i) {
            const HbmPlace place = place_of(map, i * stride, Divider(slices));
            ++channels[place.channel];
            ++banks[{place.channel, place.bank}];
        }
        unsigned most = 0;
        for (const auto& [channel, count] : channels) most = std::max(most, count);
        EXPECT_LT(most, 2 * lines / 160) << "stride " << stride;
        unsigned most_bank = 0;
        for (const auto& [bank, count] : banks) most_bank = std::max(most_bank, count);
        // A row of 16 lines is in one bank whatever the hash.
        EXPECT_LE(most_bank, 6 * 4u + 16) << "stride " << stride;
    }
}

}  // namespace hbm_map_test
