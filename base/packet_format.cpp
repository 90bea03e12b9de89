#include "base/packet_format.h"

namespace weft {

namespace {

// Calls run(offset in the bytes, offset in the data, length) for every run of data, and flag(offset, length) for every
// flag or part of one, in [position, position + size).
template <typename Run, typename Flag>
void for_each_run(PacketFormat format, std::uint64_t position, std::uint32_t size, Run run, Flag flag)
{
    // Data and flag take turns: 4 + 4 bytes, or 120 + 8.
    const std::uint32_t data = format == PacketFormat::ll128 ? 120 : 4;
    const std::uint32_t unit = format == PacketFormat::ll128 ? 128 : 8;
    for (std::uint32_t done = 0; done < size;) {
        const std::uint64_t at = position + done;
        const auto within = static_cast<std::uint32_t>(at % unit);
        if (within < data) {
            const std::uint32_t length = std::min(data - within, size - done);
            run(done, at / unit * data + within, length);
            done += length;
        } else {
            const std::uint32_t length = std::min(unit - within, size - done);
            flag(done, length);
            done += length;
        }
    }
}

}  // namespace

void to_packets(PacketFormat format, const std::uint8_t* data, std::uint64_t count, std::uint64_t position,
    std::uint32_t size, std::uint8_t* packets)
{
    for_each_run(
        format, position, size,
        [&](std::uint32_t at, std::uint64_t from, std::uint32_t length) {
            const std::uint64_t there = from < count ? std::min<std::uint64_t>(length, count - from) : 0;
            if (there > 0) std::memcpy(packets + at, data + from, there);
            std::memset(packets + at + there, 0, length - there);
        },
        [&](std::uint32_t at, std::uint32_t length) { std::memset(packets + at, 0xff, length); });
}

void from_packets(PacketFormat format, const std::uint8_t* packets, std::uint64_t position, std::uint32_t size,
    std::uint8_t* data, std::uint64_t count)
{
    for_each_run(
        format, position, size,
        [&](std::uint32_t at, std::uint64_t to, std::uint32_t length) {
            if (to < count) std::memcpy(data + to, packets + at, std::min<std::uint64_t>(length, count - to));
        },
        [](std::uint32_t, std::uint32_t) {});
}

}  // namespace weft
