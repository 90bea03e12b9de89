#include <list>
#include <random>

#include <gtest/gtest.h>

#include "sc_models/tag_array.h"

using weft::TagArray;

namespace {

// Least recently used, written with lists.
struct Reference {
    struct Entry {
        std::uint64_t number;
        bool dirty;
        bool pending;
    };

    Reference(std::uint64_t sets, unsigned ways) : sets(sets), rows(sets), ways(ways) {}

    Entry* find(std::uint64_t number)
    {
        std::list<Entry>& row = rows[number % sets];
        for (auto entry = row.begin(); entry != row.end(); ++entry)
            if (entry->number == number) {
                row.splice(row.begin(), row, entry);
                return &row.front();
            }
        return nullptr;
    }
    // False when every way is pending.
    bool allocate(const Entry& fresh, bool& victim_dirty, std::uint64_t& victim)
    {
        std::list<Entry>& row = rows[fresh.number % sets];
        victim_dirty = false;
        if (row.size() == ways) {
            auto last = row.end();
            do {
                if (last == row.begin()) return false;
                --last;
            } while (last->pending);
            victim_dirty = last->dirty;
            victim = last->number;
            row.erase(last);
        }
        row.push_front(fresh);
        return true;
    }

    std::uint64_t sets;
    std::vector<std::list<Entry>> rows;
    unsigned ways;
};

}  // namespace

TEST(TagArray, AgreesWithAReferenceOverRandomUse)
{
    for (const auto& [sets, ways] : {std::pair<std::uint64_t, unsigned>{1, 1}, {1, 8}, {16, 4}, {7, 3}, {64, 16}}) {
        TagArray tags(sets, ways);
        Reference reference(sets, ways);
        std::mt19937_64 random(sets * 100 + ways);
        for (unsigned i = 0; i < 100'000; ++i) {
            const std::uint64_t number = random() % (sets * ways * 2) + (random() % 50 == 0 ? 1'000'000 * sets : 0);
            std::uint32_t* word = tags.find(number);
            Reference::Entry* entry = reference.find(number);
            ASSERT_EQ(word != nullptr, entry != nullptr);
            if (word != nullptr) {
                ASSERT_EQ((*word & TagArray::dirty_bit) != 0, entry->dirty);
                ASSERT_EQ((*word & TagArray::pending_bit) != 0, entry->pending);
                if (random() % 2 == 0) {
                    *word &= ~TagArray::pending_bit;
                    entry->pending = false;
                }
                if (random() % 4 == 0) {
                    *word |= TagArray::dirty_bit;
                    entry->dirty = true;
                }
                continue;
            }
            const bool dirty = random() % 2 == 0;
            const bool pending = random() % 3 == 0;
            TagArray::Victim victim;
            bool dirty_victim = false;
            std::uint64_t victim_number = 0;
            const bool room = reference.allocate({number, dirty, pending}, dirty_victim, victim_number);
            word = tags.allocate(number,
                (dirty ? TagArray::dirty_bit : 0) | (pending ? TagArray::pending_bit : 0), victim);
            ASSERT_EQ(word != nullptr, room);
            if (!room) continue;
            ASSERT_EQ(victim.dirty, dirty_victim);
            ASSERT_EQ(dirty_victim ? victim.number : 0, dirty_victim ? victim_number : 0);
        }
    }
}
