#include "collectives/engine/lines/contents.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace weft {

namespace {

std::uint64_t mixed(std::uint64_t value)
{
    value ^= value >> 30;
    value *= 0xbf58476d1ce4e5b9U;
    value ^= value >> 27;
    value *= 0x94d049bb133111ebU;
    return value ^ value >> 31;
}

// Which input chunks make up one output chunk, and whether they are reduced.
struct Origin {
    std::vector<std::uint32_t> ranks;
    std::uint32_t chunk = 0;
};

bool demanded(const Schedule& schedule, std::uint32_t rank, std::uint32_t chunk, Origin& origin)
{
    const std::uint32_t n = schedule.size();
    const std::uint32_t k = schedule.chunks_per_rank();
    const auto everybody = [n] {
        std::vector<std::uint32_t> all(n);
        for (std::uint32_t r = 0; r < n; ++r) all[r] = r;
        return all;
    };
    switch (schedule.op) {
    case CollectiveOp::all_reduce: origin = {everybody(), chunk}; return true;
    case CollectiveOp::reduce:
        if (rank != schedule.root) return false;
        origin = {everybody(), chunk};
        return true;
    case CollectiveOp::reduce_scatter: origin = {everybody(), rank * k + chunk}; return true;
    case CollectiveOp::all_gather: origin = {{chunk / k}, chunk % k}; return true;
    case CollectiveOp::gather:
        if (rank != schedule.root) return false;
        origin = {{chunk / k}, chunk % k};
        return true;
    case CollectiveOp::scatter: origin = {{schedule.root}, rank * k + chunk}; return true;
    case CollectiveOp::all_to_all: origin = {{chunk / k}, rank * k + chunk % k}; return true;
    case CollectiveOp::broadcast: origin = {{schedule.root}, chunk}; return true;
    case CollectiveOp::send_receive:
        if (rank != 1) return false;
        origin = {{0}, chunk};
        return true;
    case CollectiveOp::barrier:
    case CollectiveOp::custom: break;
    }
    return false;
}

std::string element_text(ElementType type, const std::uint8_t* bytes)
{
    switch (type) {
    case ElementType::int32: {
        std::int32_t value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return std::to_string(value);
    }
    case ElementType::fp32: {
        float value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return fmt::format("{}", value);
    }
    case ElementType::bf16: {
        std::uint16_t value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return fmt::format("{}", bf16_to_fp32(value));
    }
    case ElementType::u8: break;
    }
    return std::to_string(*bytes);
}

}  // namespace

void fill_input(ElementType type, std::uint32_t rank, std::uint32_t ranks, std::uint64_t seed, std::uint64_t begin,
    std::uint64_t bytes, std::uint8_t* out)
{
    const std::uint64_t key = mixed(seed * 0x9e3779b97f4a7c15U + rank + 1);
    const std::uint32_t width = size_of(type);
    const std::uint64_t first = begin / width;
    const std::uint64_t count = bytes / width;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t random = mixed(key + (first + i) * 0xd1342543de82ef95U);
        switch (type) {
        case ElementType::int32: {
            const auto value = static_cast<std::uint32_t>(random);
            std::memcpy(out + i * 4, &value, 4);
            break;
        }
        case ElementType::fp32: {
            const float value = static_cast<float>(static_cast<int>(random & 0xfff) - 2048);
            std::memcpy(out + i * 4, &value, 4);
            break;
        }
        case ElementType::bf16: {
            const std::uint64_t bound = std::max<std::uint64_t>(1, 256 / std::max(1U, ranks));
            const float number = rank < 256 ? static_cast<float>(random % (bound + 1)) : 0.0F;
            const std::uint16_t value = fp32_to_bf16(number);
            std::memcpy(out + i * 2, &value, 2);
            break;
        }
        case ElementType::u8: out[i] = static_cast<std::uint8_t>(random); break;
        }
    }
}

std::optional<OutputMismatch> check_outputs(const Schedule& schedule, const Layout& layout, ElementType type,
    std::uint64_t seed, const ReadOutput& read, const std::function<bool(std::uint32_t rank)>& holds)
{
    const std::uint32_t n = schedule.size();
    std::vector<std::uint8_t> expected;
    std::vector<std::uint8_t> operand;
    std::vector<std::uint8_t> found;
    std::uint32_t chunks = 0;
    for (std::uint32_t rank = 0; rank < n; ++rank)
        chunks = std::max(chunks, schedule.message_chunks(rank, Buffer::output));
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        Origin known;  // whose expected bytes are at hand
        for (std::uint32_t rank = 0; rank < n; ++rank) {
            if (holds && !holds(rank)) continue;
            Origin origin;
            if (chunk >= schedule.message_chunks(rank, Buffer::output) || !demanded(schedule, rank, chunk, origin))
                continue;
            const ByteRange range = layout.range(rank, Buffer::output, chunk);
            if (known.ranks != origin.ranks || known.chunk != origin.chunk) {
                known = origin;
                expected.clear();
                for (const std::uint32_t source : origin.ranks) {
                    const ByteRange input = layout.range(source, Buffer::input, origin.chunk);
                    operand.resize(input.size());
                    fill_input(type, source, n, seed, input.begin, input.size(), operand.data());
                    if (expected.empty()) {
                        expected = operand;
                    } else {
                        reduce_elements(type, schedule.reduction, expected.data(), operand.data(), operand.size());
                    }
                }
            }
            found.resize(range.size());
            read(rank, range.begin, range.size(), found.data());
            const auto difference = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
            if (difference.first == expected.end()) continue;
            const std::uint64_t at =
                static_cast<std::uint64_t>(difference.first - expected.begin()) / size_of(type) * size_of(type);
            return OutputMismatch{chunk, rank,
                fmt::format("rank {}: output chunk {}, byte {}: expected {} {}, found {}", rank, chunk,
                    range.begin + at, name_of(type), element_text(type, expected.data() + at),
                    element_text(type, found.data() + at))};
        }
    }
    return std::nullopt;
}

}  // namespace weft
