#include "collectives/engine/lines/port_order.h"

namespace weft {

bool PortOrder::is_put(const MoveStep& step) const
{
    return through_ && !step.packets && !step.in_switch() && step.sources.size() == 1 &&
        endpoint_of(step.sources.front()) == endpoint_;
}

void PortOrder::move(const MoveStep& step)
{
    if (!is_put(step)) return by_units(step);
    MoveStep put = step;
    MoveStep kept = step;
    put.destinations.clear();
    kept.destinations.clear();
    for (const std::uint64_t destination : step.destinations)
        (endpoint_of(destination) == endpoint_ ? kept : put).destinations.push_back(destination);
    if (!put.destinations.empty()) {
        list_.move(put);
        read_.add(put.sources, put.bytes);
        written_.add(put.destinations, put.bytes);
        pending_ = true;
        ask(step.label);
    }
    if (!kept.destinations.empty()) by_units(kept);
}

void PortOrder::by_units(const MoveStep& step)
{
    if (written_.meets(step.sources, step.bytes) || written_.meets(step.destinations, step.bytes) ||
        read_.meets(step.destinations, step.bytes))
        flush(step.label);
    MoveStep move = step;
    move.with_previous &= in_run_;
    workgroup_.move(move);
    in_run_ = true;
}

void PortOrder::signal(std::uint64_t flag, std::uint32_t label)
{
    in_run_ = false;
    if (!through_ && !pending_) return workgroup_.signal(flag, label);
    list_.signal(flag, label);
    ask(label);
}

void PortOrder::ask(std::uint32_t label)
{
    workgroup_.request(program_.operations.size() - asked_, label);
    asked_ = program_.operations.size();
    in_run_ = false;
}

void PortOrder::flush(std::uint32_t label)
{
    if (!pending_) return;
    list_.signal(flushed_, label);
    ask(label);
    workgroup_.wait(flushed_, ++flushes_, label);
    pending_ = false;
    read_.clear();
    written_.clear();
}

}  // namespace weft
