// Which parameters of a block somebody has set, and which of those count wherever.
#pragma once

#include <vector>

#include "platform/configuration/resolved_system.h"

namespace weft {

class SetParameters {
public:
    SetParameters(const ResolvedSystem& system, Block block)
        : system_(system), set_(system.blocks()[block].parameters.size(), false), counts_(set_)
    {
    }

    // The values of one module; `counts` says of a parameter whether it counts there.
    template <class Counts>
    void add(const Variant& variant, Counts counts)
    {
        for (std::size_t i = 0; i < set_.size(); ++i) {
            if (system_.source(variant.sources[i]).file.empty()) continue;
            set_[i] = true;
            if (counts(i)) counts_[i] = true;
        }
    }
    // Those that were set and count for no module that was added.
    std::vector<std::size_t> without_effect() const
    {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < set_.size(); ++i)
            if (set_[i] && !counts_[i]) out.push_back(i);
        return out;
    }

private:
    const ResolvedSystem& system_;
    std::vector<bool> set_;
    std::vector<bool> counts_;
};

}  // namespace weft
