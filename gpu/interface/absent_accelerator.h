// Stands for an accelerator that another process of the run simulates (platform/parallel/): it has a name, a number, a size and what the
// executor asks of its units, and nothing behind them.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/interface/accelerator.h"
#include "gpu/interface/gpu_spec.h"

namespace weft {

class AbsentAccelerator final : public Accelerator {
public:
    struct Size {
        std::uint64_t capacity = 0;     // of its memory, B
        std::uint64_t memory_rate = 0;  // B/s
        GpuSpec units;
        bool replays = false;
    };
    AbsentAccelerator(sc_core::sc_module_name name, std::string path, std::uint32_t endpoint, const Size& size)
        : Accelerator(name), path_(std::move(path)), endpoint_(endpoint), size_(size)
    {
    }

    const Size& size() const { return size_; }

    LineInitiatorSocket& link_out(unsigned) override { refuse(); }
    LineTargetSocket& link_in(unsigned) override { refuse(); }
    OutputPort& output(unsigned) override { refuse(); }
    MemoryImage& image() override { refuse(); }
    const std::string& path() const override { return path_; }
    std::uint32_t endpoint() const override { return endpoint_; }
    std::uint64_t capacity() const override { return size_.capacity; }
    std::uint64_t lines() const override { return 0; }
    std::uint64_t line_hops() const override { return 0; }

private:
    [[noreturn]] void refuse() const { throw std::logic_error(path_ + " is simulated by another process"); }

    std::string path_;
    std::uint32_t endpoint_;
    Size size_;
};

}  // namespace weft
