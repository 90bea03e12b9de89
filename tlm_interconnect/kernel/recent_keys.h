// A fixed number of keys, of which the one that was used longest ago makes room for a new one. Nothing is allocated after
// construction; a look-up costs a hash and, with as many chains as places, about one comparison.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class RecentKeys {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit RecentKeys(std::uint32_t places);

    // The place of `key`, now the one used last; `none` if it is not there.
    std::uint32_t find(std::uint64_t key);
    // Replaces the least recently used entry by `key`, which must not be present.
    std::uint32_t insert(std::uint64_t key);

private:
    struct Place {
        std::uint64_t key = 0;
        std::uint32_t older = none;
        std::uint32_t newer = none;
        std::uint32_t next = none;  // of the same chain
        bool used = false;
    };
    std::uint32_t& chain_of(std::uint64_t key);
    void use(std::uint32_t place);
    void unlink(std::uint32_t place);

    std::vector<Place> places_;
    std::vector<std::uint32_t> chains_;
    std::uint32_t oldest_ = none;
    std::uint32_t newest_ = none;
};

}  // namespace weft
