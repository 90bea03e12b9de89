// Stands for an accelerator that another process of the run simulates (platform/parallel/): it has a name, a number and a size, and
// nothing behind them.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/accelerator.h"

namespace weft {

class AbsentAccelerator final : public Accelerator {
public:
    AbsentAccelerator(sc_core::sc_module_name name, std::string path, std::uint32_t endpoint, std::uint64_t capacity)
        : Accelerator(name), path_(std::move(path)), endpoint_(endpoint), capacity_(capacity)
    {
    }

    LineInitiatorSocket& link_out(unsigned) override { refuse(); }
    LineTargetSocket& link_in(unsigned) override { refuse(); }
    OutputPort& output(unsigned) override { refuse(); }
    MemoryImage& image() override { refuse(); }
    const std::string& path() const override { return path_; }
    std::uint32_t endpoint() const override { return endpoint_; }
    std::uint64_t capacity() const override { return capacity_; }
    std::uint64_t lines() const override { return 0; }
    std::uint64_t line_hops() const override { return 0; }

private:
    [[noreturn]] void refuse() const { throw std::logic_error(path_ + " is simulated by another process"); }

    std::string path_;
    std::uint32_t endpoint_;
    std::uint64_t capacity_;
};

}  // namespace weft
