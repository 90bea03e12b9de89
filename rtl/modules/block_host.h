// The base of modules with a clocked block inside, with the place and time of its first error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rtl/modules/block_fault.h"
#include "tlm_interconnect/kernel/time.h"

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

    // Of a block that holds transactions, could get rid of all of them, and has not moved: whether it may still, where nothing else does.
    virtual bool may_move(Time /*now*/) const { return false; }
    // Whether it has not for longer than it may; less is allowed where nothing else moves (`alone`).
    virtual bool stands(Time /*now*/, bool /*alone*/) const { return false; }
    // What there is to say of it then, a line; empty: it has not stood for so long.
    virtual std::string standing() const { return {}; }

    // The host that `module` is; null: it is none, or there is no module.
    template <class Module>
    static const BlockHost* of(const Module* module)
    {
        return dynamic_cast<const BlockHost*>(module);
    }

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
