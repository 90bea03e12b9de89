// For a workgroup with a port channel: puts and signals that go through it are requests to a proxy, which has a copy engine
// carry them out from a list beside the workgroup; all else the workgroup does.
//
// A request asks for the next operation of the list. It stands behind the workgroup's own stores and after its waits; a signal
// goes through the port too where puts before it did, since the list alone knows when these are performed. The workgroup goes
// on at once. Before it touches what puts that were asked for read or write, it flushes: the list sets a flag behind them,
// for which the workgroup waits.
#pragma once

#include "collectives/engine/lines/step_order.h"

namespace weft {

class PortOrder : public StepOrder {
public:
    // `endpoint` is the own one; `flushed` the flag for flushes.
    PortOrder(Program& workgroup, Program& list, std::uint32_t endpoint, std::uint64_t flushed)
        : workgroup_(workgroup, false), list_(list), program_(list), endpoint_(endpoint), flushed_(flushed)
    {
    }

    // Whether what comes next goes through the port, as far as it can: copies from the own memory to peers, signals.
    void through_port(bool through) { through_ = through; }

    void move(const MoveStep& step) override;
    void signal(std::uint64_t flag, std::uint32_t label) override;
    void wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label) override
    {
        workgroup_.wait(flag, value, label);
    }
    void flush(std::uint32_t label) override;

private:
    bool is_put(const MoveStep& step) const;
    void by_units(const MoveStep& step);
    void ask(std::uint32_t label);

    WorkgroupOrder workgroup_;
    ListOrder list_;
    const Program& program_;  // of the list
    std::uint32_t endpoint_;
    std::uint64_t flushed_;
    std::uint64_t flushes_ = 0;
    std::size_t asked_ = 0;  // operations of the list
    bool through_ = false;
    bool pending_ = false;  // puts that are not known to be performed
    bool in_run_ = false;   // the units' last move stands right before
    OpenRanges read_;
    OpenRanges written_;
};

}  // namespace weft
