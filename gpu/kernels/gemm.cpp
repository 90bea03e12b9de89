#include "gpu/kernels/gemm.h"

#include <charconv>

#include "base/line_size.h"

namespace weft {

namespace {

constexpr std::uint64_t longest_side = 65536;

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; }

}  // namespace

std::uint64_t Gemm::whole_lines(std::uint64_t elements)
{
    return (elements * element_bytes + line_bytes - 1) / line_bytes * line_bytes;
}

std::uint64_t Gemm::memory_bytes() const { return whole_lines(m * k) + whole_lines(k * n) + whole_lines(m * n); }

std::uint64_t Gemm::loaded_bytes() const { return (parts(n, tile) * m * k + parts(m, tile) * k * n) * element_bytes; }

std::optional<Gemm> Gemm::parse(const std::string& text)
{
    const std::string kind = "gemm:";
    if (text.compare(0, kind.size(), kind) != 0) return std::nullopt;
    Gemm gemm;
    std::uint64_t* const fields[] = {&gemm.m, &gemm.n, &gemm.k, &gemm.tile};
    const char* at = text.data() + kind.size();
    const char* const end = text.data() + text.size();
    for (std::size_t i = 0; i < 4; ++i) {
        const auto [next, problem] = std::from_chars(at, end, *fields[i]);
        if (problem != std::errc() || *fields[i] < 1 || *fields[i] > longest_side) return std::nullopt;
        at = next;
        if (at == end) return i >= 2 ? std::optional(gemm) : std::nullopt;
        if (*at++ != ',') return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace weft
