// Accesses of one workgroup that are not performed yet: what fences and the end of the workgroup wait for.
//
// Owns: counts of stores (to the own GPU and to others, those before the latest fence apart from those after it), of
// signals, of words that are loaded, and of bulk copies. Called by: whatever issues an access, and for its response.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/units/program.h"

namespace weft {

class OpenAccesses {
public:
    // A store issues; its request keeps the returned epoch.
    std::uint32_t begin_store(bool near)
    {
        Stores& stores = of(near);
        ++stores.open[stores.epoch];
        return stores.epoch;
    }
    void end_store(bool near, std::uint32_t epoch) { --of(near).open[epoch]; }
    void begin_signal() { ++signals_; }
    void end_signal() { --signals_; }
    void begin_word() { ++words_; }
    void end_word() { --words_; }
    void begin_bulk() { ++bulk_; }
    void end_bulk() { --bulk_; }

    // A fence of `scope` begins: later stores are counted apart from those before it. The fence before it has ended.
    void begin_fence(Scope scope)
    {
        if (scope != Scope::unit) near_.epoch ^= 1U;
        if (scope == Scope::system) far_.epoch ^= 1U;
    }
    // Whether everything that the latest fence, which is of `scope`, waits for is performed.
    bool fenced(Scope scope) const
    {
        if (words_ > 0) return false;
        if (scope == Scope::unit) return true;
        return near_.fenced() && (scope == Scope::device || far_.fenced());
    }

    std::uint32_t bulk_copies() const { return bulk_; }
    std::uint32_t requests() const { return near_.total() + far_.total() + signals_ + words_; }
    bool only_signals() const { return requests() == signals_; }  // and bulk copies
    bool none() const { return requests() + bulk_ == 0; }

private:
    struct Stores {
        std::array<std::uint32_t, 2> open{};
        std::uint8_t epoch = 0;  // of stores that issue now

        bool fenced() const { return open[epoch ^ 1U] == 0; }
        std::uint32_t total() const { return open[0] + open[1]; }
    };
    Stores& of(bool near) { return near ? near_ : far_; }

    Stores near_;  // to the own GPU
    Stores far_;   // to others
    std::uint32_t signals_ = 0;
    std::uint32_t words_ = 0;
    std::uint32_t bulk_ = 0;
};

}  // namespace weft
