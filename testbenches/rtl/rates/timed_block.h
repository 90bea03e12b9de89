// A block in a system whose clocks are counted: processor time inside it, lines that left it, and its first inputs.
#pragma once

#include <memory>
#include <utility>

#include "testbenches/rtl/rates/block_rates.h"

namespace weft::test {

// Of all blocks of a system together; inputs of the first that was made.
template <class In>
struct Account {
    std::uint64_t clocks = 0;
    std::uint64_t lines = 0;
    double seconds = 0;
    std::size_t record = 0;  // clocks to record
    const void* recorded_block = nullptr;
    Recorded<In> recorded;
};

inline std::uint64_t lines_of(const SwitchOut& out)
{
    return static_cast<std::uint64_t>(__builtin_popcountll(out.valid));
}
template <class Out>
std::uint64_t lines_of(const Out& out)
{
    return out.rx_valid;
}

template <class Block>
class Timed : public Block {
public:
    using In = typename Block::Inputs;
    using Out = typename Block::Outputs;

    Timed(std::unique_ptr<Block> inner, Account<In>& account) : inner_(std::move(inner)), account_(account)
    {
        if (account_.recorded_block == nullptr) account_.recorded_block = this;
    }
    void reset() override { inner_->reset(); }
    void cycle(const In& in, Out& out) override
    {
        if (account_.recorded_block == this && account_.recorded.inputs.size() < account_.record)
            account_.recorded.inputs.push_back(in);
        const double start = processor_seconds();
        inner_->cycle(in, out);
        account_.seconds += processor_seconds() - start;
        ++account_.clocks;
        account_.lines += lines_of(out);
    }
    bool idle() const override { return inner_->idle(); }
    bool failed() const override { return inner_->failed(); }
    std::string failure() const override { return inner_->failure(); }

protected:
    Block& inner() { return *inner_; }
    Account<In>& account() { return account_; }

private:
    std::unique_ptr<Block> inner_;
    Account<In>& account_;
};

class TimedGroupSwitch final : public Timed<GroupSwitchBlock> {
public:
    using Timed::Timed;
    void set_group(const GroupEntry& entry) override
    {
        if (account().recorded_block == this)
            account().recorded.settings.emplace_back(account().recorded.inputs.size(), entry);
        inner().set_group(entry);
    }
};

// What reading the clock twice costs, to be taken off for each clock.
inline double cost_of_timing()
{
    const double start = processor_seconds();
    for (int i = 0; i < 20'000; ++i) processor_seconds();
    return (processor_seconds() - start) / 20'000;
}

}  // namespace weft::test
