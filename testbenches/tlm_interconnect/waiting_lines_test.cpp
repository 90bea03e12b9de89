// The table of waiting lines against plain lists, one for each place.
#include "tlm_interconnect/switch/waiting_lines.h"

#include <deque>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tlm_interconnect/protocol/line_pool.h"

namespace waiting_lines_test {

using namespace weft;

namespace {

struct Plain {
    std::size_t places = WaitingLines::fewest_places;
    struct Place {
        std::uint32_t count = 0;
        Line* first = nullptr;
        unsigned input = 0;
    };
    std::map<std::uint64_t, Place> table;

    Place& at(std::uint64_t address) { return table[(address / 64 * 0x9e3779b97f4a7c15ULL >> 32U) % places]; }
    void add(std::uint64_t address, Line& line, unsigned input)
    {
        Place& place = at(address);
        if (place.count++ == 0) place = {1, &line, input};
    }
    void remove(std::uint64_t address, const Line& line)
    {
        Place& place = at(address);
        --place.count;
        if (place.first == &line) place.first = nullptr;
    }
};

void expect_same(const WaitingLines& lines, Plain& plain, std::uint64_t address)
{
    const WaitingLines::Place* place = lines.find(address);
    const Plain::Place& expected = plain.at(address);
    ASSERT_EQ(place != nullptr, expected.count > 0);
    if (place == nullptr) return;
    EXPECT_EQ(place->count(), expected.count);
    EXPECT_EQ(place->line(), expected.first);
    if (expected.first != nullptr) {
        EXPECT_EQ(place->input(), expected.input);
    }
}

}  // namespace

TEST(WaitingLinesTest, KnowsWhatPlainListsKnow)
{
    struct Waiting {
        std::uint64_t address;
        Line* line;
        unsigned input;
    };
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        LinePool pool;
        WaitingLines lines;
        Plain plain;
        std::deque<Waiting> waiting;
        // Few addresses, so that some wait several times; many lines, so that places become too few.
        const std::uint64_t addresses = seed % 2 == 0 ? 200 : 100'000;
        for (int step = 0; step < 6'000; ++step) {
            const bool longer = waiting.size() < (step / 1000 % 2 == 0 ? 2'000U : 5U);
            if (waiting.empty() || random() % 8 < (longer ? 6U : 2U)) {
                if (lines.crowded()) {
                    lines.clear_into_more_places();
                    plain.places *= 4;
                    plain.table.clear();
                    for (const Waiting& one : waiting) {
                        lines.add(one.address, *one.line, one.input, 0);
                        plain.add(one.address, *one.line, one.input);
                    }
                }
                waiting.push_back({random() % addresses * 64, &pool.take(), static_cast<unsigned>(random() % 8)});
                const Waiting& one = waiting.back();
                expect_same(lines, plain, one.address);
                lines.add(one.address, *one.line, one.input, 0);
                plain.add(one.address, *one.line, one.input);
            } else {
                const std::size_t index = random() % waiting.size();
                const Waiting one = waiting[index];
                waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
                lines.remove(one.address, *one.line);
                plain.remove(one.address, *one.line);
                pool.give(*one.line);
            }
            expect_same(lines, plain, random() % addresses * 64);
        }
        if (addresses > 1000) {
            EXPECT_GT(plain.places, WaitingLines::fewest_places);
        }
    }
}

}  // namespace waiting_lines_test
