// Division by a number that is fixed at run time, without the host's divide instruction.
#pragma once

#include <cstdint>

namespace weft {

// Exact for dividends below 2^44 and divisors from 1 to 2^20.
class Divider {
public:
    explicit Divider(std::uint32_t divisor = 1)
        : divisor_(divisor), reciprocal_(divisor <= 1 ? 0 : ~std::uint64_t{0} / divisor + 1)
    {
    }

    std::uint64_t quotient(std::uint64_t value) const
    {
        __extension__ typedef unsigned __int128 Wide;
        if (reciprocal_ == 0) return value;
        return static_cast<std::uint64_t>((static_cast<Wide>(value) * reciprocal_) >> 64);
    }
    std::uint32_t remainder(std::uint64_t value) const
    {
        return static_cast<std::uint32_t>(value - quotient(value) * divisor_);
    }
    std::uint32_t divisor() const { return divisor_; }

private:
    std::uint32_t divisor_;
    std::uint64_t reciprocal_;
};

}  // namespace weft
