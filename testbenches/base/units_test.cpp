#include "base/units.h"

#include <gtest/gtest.h>

namespace units_test {

using namespace weft;

TEST(Units, BytesAreExact)
{
    EXPECT_EQ(parse_bytes("1MiB"), 1048576u);
    EXPECT_EQ(parse_bytes(" 1.5 KiB "), 1536u);
    EXPECT_EQ(parse_bytes("64"), 64u);
    EXPECT_EQ(parse_bytes("1 GB"), 1000000000u);
    EXPECT_FALSE(parse_bytes("1.3 B"));
    EXPECT_FALSE(parse_bytes("-1"));
    EXPECT_FALSE(parse_bytes("1 mib"));
    EXPECT_FALSE(parse_bytes(""));
    EXPECT_FALSE(parse_bytes("99999999999999999999"));
}

TEST(Units, TimeNeedsAUnit)
{
    EXPECT_EQ(parse_time_ps("250 ns"), 250000u);
    EXPECT_EQ(parse_time_ps("1.5us"), 1500000u);
    EXPECT_FALSE(parse_time_ps("250"));
    EXPECT_FALSE(parse_time_ps("0.1 ps"));
}

// As scripts write them.
TEST(Units, TimesAndRatesThatAreWrittenFinerAreTheNearest)
{
    EXPECT_EQ(parse_time_ps("40.123456789 us"), 40123457u);
    EXPECT_EQ(parse_time_ps("14.2857142857 ns"), 14286u);
    EXPECT_EQ(parse_time_ps("14.285714285714285714285714 ns"), 14286u);
    EXPECT_EQ(parse_time_ps("0.000000014285714285714285 s"), 14286u);
    // By at most 1/10,000: otherwise it is not what the text says.
    EXPECT_EQ(parse_time_ps("5000.5 ps"), 5001u);
    EXPECT_EQ(parse_time_ps("4999.5 ps"), std::nullopt);
    EXPECT_EQ(parse_time_ps("333.33 ps"), std::nullopt);
    EXPECT_EQ(parse_time_ps("0.4999 ps"), std::nullopt);
    EXPECT_EQ(parse_time_ps("0.000 ns"), 0u);
    EXPECT_EQ(parse_rate("112.3333333333 GB/s"), 112333333333u);
    EXPECT_EQ(parse_rate("1 Mbps"), 125000u);
    EXPECT_EQ(parse_rate("0.333333333333 Gbps"), 41666667u);
    EXPECT_EQ(parse_frequency("1.98000000049 GHz"), 1980000000u);
    EXPECT_FALSE(parse_bytes("1.00000000000000000000000001 KiB"));
    EXPECT_EQ(parse_bytes("1.00000000000000000000000000 KiB"), 1024u);
    EXPECT_FALSE(parse_time_ps("99999999999999999999 ps"));
    EXPECT_FALSE(parse_time_ps("9999999999999999999 s"));
    EXPECT_FALSE(parse_time_ps(". ns"));
    EXPECT_FALSE(parse_time_ps("1.2.3 ns"));
}

TEST(Units, RatesAreBytesPerSecond)
{
    EXPECT_EQ(parse_rate("112.5 GB/s"), 112500000000u);
    EXPECT_EQ(parse_rate("400 Gbps"), 50000000000u);
    EXPECT_EQ(parse_frequency("1980 MHz"), 1980000000u);
}

TEST(Units, Formatting)
{
    EXPECT_EQ(format_bytes(1048576), "1 MiB");
    EXPECT_EQ(format_bytes(1000003), "1000003 B");
    EXPECT_EQ(format_bytes(80000000000), "80 GB");
    EXPECT_EQ(format_bytes(1536), "1.5 KiB");
    EXPECT_EQ(format_bytes(50ULL << 20), "50 MiB");
    EXPECT_EQ(format_bytes(1ULL << 42), "4 TiB");
    EXPECT_EQ(format_time_ps(826000), "826 ns");
    EXPECT_EQ(format_time_ps(7), "7 ps");
    EXPECT_EQ(format_rate(112500000000), "112.5 GB/s");
    EXPECT_EQ(format_rate(3350000000000), "3350 GB/s");
}

}  // namespace units_test
