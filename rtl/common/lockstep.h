// Two blocks side by side on the same inputs: what is under test goes on, what should be equal is compared in every
// clock.
//
// Block is a ClockedBlock, or an interface on top of one. Compared by difference(expected, got) unless told otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rtl/common/clocked_block.h"

namespace weft {

template <class Block>
class Lockstep : public Block {
public:
    using In = typename Block::Inputs;
    using Out = typename Block::Outputs;

    // What differs, in words; empty: nothing.
    using Compare = std::function<std::string(const Out& expected, const Out& got)>;

    // `scratch`: an Out of the right shape.
    Lockstep(std::unique_ptr<Block> tested, std::unique_ptr<Block> reference, Out scratch, Compare compare)
        : tested_(std::move(tested)), reference_(std::move(reference)), expected_(std::move(scratch)),
          compare_(std::move(compare))
    {
    }
    Lockstep(std::unique_ptr<Block> tested, std::unique_ptr<Block> reference, Out scratch)
        : Lockstep(std::move(tested), std::move(reference), std::move(scratch),
              [](const Out& expected, const Out& got) { return difference(expected, got); })
    {
    }

    void reset() override
    {
        tested_->reset();
        reference_->reset();
    }
    void cycle(const In& in, Out& out) override
    {
        reference_->cycle(in, expected_);
        tested_->cycle(in, out);
        if (differs_.empty()) differs_ = compare_(expected_, out);
    }
    bool idle() const override { return tested_->idle() && reference_->idle(); }
    void at(std::uint64_t ps) override { tested_->at(ps); }
    void note(unsigned signal, const std::string& text) override { tested_->note(signal, text); }
    bool waving() const override { return tested_->waving(); }
    bool failed() const override { return !differs_.empty() || tested_->failed(); }
    std::string failure() const override { return differs_.empty() ? tested_->failure() : differs_; }

protected:
    Block& tested() { return *tested_; }
    Block& reference() { return *reference_; }

private:
    std::unique_ptr<Block> tested_;
    std::unique_ptr<Block> reference_;
    Out expected_;
    Compare compare_;
    std::string differs_;
};

}  // namespace weft
