// The base of modules with a clocked block inside, with the place and time of its first error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rtl/modules/block_fault.h"

namespace weft {

class BlockHost {
public:
    // The earlier of `first` and what went wrong in `module`, if that is a host.
    template <class Module>
    static void look(const Module& module, std::optional<BlockFault>& first)
    {
        const auto* host = dynamic_cast<const BlockHost*>(&module);
        if (host != nullptr && host->fault() && (!first || host->fault()->at < first->at)) first = host->fault();
    }

    // Nothing: all is well.
    const std::optional<BlockFault>& fault() const { return fault_; }

protected:
    ~BlockHost() = default;

    void note_fault(std::vector<std::string> instances, Time at, Time clock)
    {
        if (!fault_) fault_ = BlockFault{std::move(instances), at, clock};
    }

private:
    std::optional<BlockFault> fault_;
};

}  // namespace weft
