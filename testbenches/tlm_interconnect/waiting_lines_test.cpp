// The table of waiting lines against plain lists, one for each address.
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
    struct Place {
        std::uint32_t count = 0;
        Line* first = nullptr;
        unsigned input = 0;
    };
    std::map<std::uint64_t, Place> table;

    Place& at(std::uint64_t address) { return table[address]; }
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
        // Few addresses, so that some wait several times, or many.
        const std::uint64_t addresses = seed % 2 == 0 ? 200 : 100'000;
        for (int step = 0; step < 6'000; ++step) {
            const bool longer = waiting.size() < (step / 1000 % 2 == 0 ? 2'000U : 5U);
            if (waiting.empty() || random() % 8 < (longer ? 6U : 2U)) {
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
    }
}

// Two streams whose lines wait at one port, at any distance from each other: no line of one is taken for one of the other.
TEST(WaitingLinesTest, TellsStreamsApartAtAnyDistance)
{
    LinePool pool;
    Line& line = pool.take();
    std::mt19937_64 random(1);
    for (int pair = 0; pair < 2'000; ++pair) {
        const std::uint64_t first = (random() % 8 << 48U) + random() % (1U << 30U) * 64;
        const std::uint64_t second = (random() % 8 << 48U) + random() % (1U << 30U) * 64;
        WaitingLines lines;
        for (std::uint64_t i = 0; i < 32; ++i) lines.add(first + i * 64, line, 0, 0);
        for (std::uint64_t i = 0; i < 32; ++i) {
            const std::uint64_t address = second + i * 64;
            const bool same = address >= first && address < first + 32 * 64;
            ASSERT_EQ(lines.find(address) != nullptr, same) << std::hex << first << " and " << address;
        }
    }
    pool.give(line);
}

}  // namespace waiting_lines_test
