#include <array>
#include <list>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "sc_models/l2/tag_array.h"

namespace tag_array_test {

using weft::TagArray;

namespace {

// Least recently used, written with lists.
struct Reference {
    struct Entry {
        std::uint64_t line;
        std::array<TagArray::State, 2> states;
        bool pending() const { return states[0] == TagArray::pending || states[1] == TagArray::pending; }
    };

    Reference(std::uint64_t sets, unsigned ways) : sets(sets), rows(sets), ways(ways) {}

    Entry* find(std::uint64_t line, bool use)
    {
        std::list<Entry>& row = rows[line % sets];
        for (auto entry = row.begin(); entry != row.end(); ++entry) {
            if (entry->line != line) continue;
            if (use) row.splice(row.begin(), row, entry);
            return use ? &row.front() : &*entry;
        }
        return nullptr;
    }
    // False when every way is pending.
    bool allocate(const Entry& fresh, Entry& victim)
    {
        std::list<Entry>& row = rows[fresh.line % sets];
        victim = {0, {TagArray::absent, TagArray::absent}};
        if (row.size() == ways) {
            auto last = row.end();
            do {
                if (last == row.begin()) return false;
                --last;
            } while (last->pending());
            victim = *last;
            row.erase(last);
        }
        row.push_front(fresh);
        return true;
    }
    void drop(std::uint64_t line, unsigned sector)
    {
        std::list<Entry>& row = rows[line % sets];
        for (auto entry = row.begin(); entry != row.end(); ++entry) {
            if (entry->line != line) continue;
            entry->states[sector] = TagArray::absent;
            if (entry->states[0] == TagArray::absent && entry->states[1] == TagArray::absent) row.erase(entry);
            return;
        }
    }

    std::uint64_t sets;
    std::vector<std::list<Entry>> rows;
    unsigned ways;
};

void expect_same(const TagArray& tags, std::uint32_t word, const std::array<TagArray::State, 2>& states,
    unsigned sectors)
{
    unsigned dirty = 0;
    unsigned held = 0;
    unsigned pending = 0;
    for (unsigned sector = 0; sector < sectors; ++sector) {
        ASSERT_EQ(TagArray::state(word, sector), states[sector]);
        dirty |= states[sector] == TagArray::dirty ? 1U << 2 * sector : 0;
        held |= TagArray::holds(states[sector]) ? 1U << 2 * sector : 0;
        pending |= states[sector] == TagArray::pending ? 1U << 2 * sector : 0;
    }
    ASSERT_EQ(tags.dirty_sectors(word), dirty);
    ASSERT_EQ(tags.held_sectors(word), held);
    ASSERT_EQ(tags.pending_sectors(word), pending);
}

class TagArrayReference : public ::testing::TestWithParam<unsigned> {};

}  // namespace

TEST_P(TagArrayReference, AgreesOverRandomUse)
{
    const unsigned sectors = GetParam();
    for (const auto& [sets, ways] :
        {std::pair<std::uint64_t, unsigned>{1, 1}, {1, 8}, {16, 4}, {7, 3}, {64, 16}, {150, 4}}) {
        TagArray tags(sets, ways, sectors);
        Reference reference(sets, ways);
        std::mt19937_64 random(sets * 100 + ways);
        for (unsigned i = 0; i < 100'000; ++i) {
            const std::uint64_t line = random() % (sets * ways * 2) + (random() % 50 == 0 ? 1'000'000 * sets : 0);
            const auto sector = static_cast<unsigned>(random() % sectors);
            const bool use = random() % 3 != 0;
            std::uint32_t* word = use ? tags.find(line) : tags.peek(line);
            Reference::Entry* entry = reference.find(line, use);
            ASSERT_EQ(word != nullptr, entry != nullptr);
            const auto state = static_cast<TagArray::State>(random() % 3);
            if (word != nullptr) {
                expect_same(tags, *word, entry->states, sectors);
                if (random() % 8 == 0) {
                    tags.drop(line, sector);
                    reference.drop(line, sector);
                } else if (random() % 2 == 0) {
                    TagArray::set_state(*word, sector, state);
                    entry->states[sector] = state;
                }
                continue;
            }
            Reference::Entry fresh{line, {TagArray::absent, TagArray::absent}};
            fresh.states[sector] = state;
            std::uint32_t victim = 0;
            Reference::Entry gone{};
            const bool room = reference.allocate(fresh, gone);
            word = tags.allocate(line, TagArray::only(sector, state), victim);
            ASSERT_EQ(word != nullptr, room);
            if (!room) continue;
            expect_same(tags, *word, fresh.states, sectors);
            expect_same(tags, victim, gone.states, sectors);
            if (tags.held_sectors(victim) != 0) {
                ASSERT_EQ(tags.line_of(victim, line), gone.line);
            }
        }
    }
}

// 4 KiB for each 64 sets that have had a line; a look at others makes nothing.
TEST(TagArray, TakesMemoryForSetsThatAreUsed)
{
    TagArray tags(409'600 / 16, 16);
    EXPECT_EQ(tags.memory_bytes(), 0U);
    EXPECT_EQ(tags.find(5), nullptr);
    EXPECT_EQ(tags.peek(5), nullptr);
    EXPECT_EQ(tags.memory_bytes(), 0U);
    std::uint32_t victim = 0;
    for (const std::uint64_t line : {5U, 63U, 25'605U})
        EXPECT_NE(tags.allocate(line, TagArray::only(0, TagArray::clean), victim), nullptr);
    EXPECT_EQ(tags.memory_bytes(), 4096U);
    EXPECT_NE(tags.allocate(64, TagArray::only(0, TagArray::clean), victim), nullptr);
    EXPECT_EQ(tags.memory_bytes(), 2 * 4096U);
    TagArray other(128, 16);  // shares what is made for nobody's sets
    EXPECT_EQ(other.find(5), nullptr);
    for (std::uint64_t line = 0; line < 409'600; ++line)
        if (tags.find(line) == nullptr) tags.allocate(line, TagArray::only(0, TagArray::clean), victim);
    EXPECT_EQ(tags.memory_bytes(), 400 * 4096U);
    EXPECT_EQ(other.find(5), nullptr);
    other.keep_places();
    EXPECT_EQ(other.memory_bytes(), 2 * 4096U);
}

// A line has one place for as long as it is there, and no other line has it.
TEST(TagArray, APlaceStaysWhileItsWordMoves)
{
    for (const auto& [sets, ways] : {std::pair<std::uint64_t, unsigned>{1, 1}, {16, 4}, {7, 3}, {64, 16}}) {
        TagArray tags(sets, ways, 1);
        tags.keep_places();
        ASSERT_EQ(tags.places(), sets * ways);
        std::map<std::uint64_t, std::size_t> place_of;
        std::mt19937_64 random(sets + ways);
        for (unsigned i = 0; i < 50'000; ++i) {
            const std::uint64_t line = random() % (sets * ways * 2);
            std::uint32_t* word = random() % 2 == 0 ? tags.find(line) : tags.peek(line);
            const auto known = place_of.find(line);
            ASSERT_EQ(word != nullptr, known != place_of.end());
            if (word != nullptr) {
                ASSERT_EQ(tags.place_of(word), known->second);
                if (random() % 8 != 0) continue;
                tags.drop(line, 0);
                place_of.erase(known);
                continue;
            }
            std::uint32_t victim = 0;
            word = tags.allocate(line, TagArray::only(0, TagArray::clean), victim);
            const std::size_t place = tags.place_of(word);
            ASSERT_LT(place, tags.places());
            if (tags.held_sectors(victim) != 0) {
                // Its bytes are where the new line's will be.
                const auto gone = place_of.find(tags.line_of(victim, line));
                ASSERT_NE(gone, place_of.end());
                ASSERT_EQ(gone->second, place);
                place_of.erase(gone);
            }
            for (const auto& [other, taken] : place_of) ASSERT_NE(taken, place) << other;
            place_of[line] = place;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sectors, TagArrayReference, ::testing::Values(1U, 2U));

}  // namespace tag_array_test
