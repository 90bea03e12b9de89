#include "collectives/engine/lines/step_order.h"

namespace weft {

void MoveStep::add_to(Program& program) const
{
    const std::vector<std::uint64_t> from = group_source != 0 ? std::vector{group_source} : sources;
    const std::vector<std::uint64_t> to = group_destination != 0 ? std::vector{group_destination} : destinations;
    if (pushes) {
        program.add_push(from.front(), to.front(), bytes, type, reduction, label, with_previous);
    } else {
        program.add_move(from, to, bytes, type, reduction, label, with_previous);
    }
}

void WorkgroupOrder::move(const MoveStep& step)
{
    if (bulk_ && step.sources.size() == 1 && !step.in_switch()) {
        bulk_copy(step);
        return;
    }
    if (meets_bulk(step)) {
        wait_for_bulk(step.label);
        waited_ = true;
    }
    if (waited_) barrier(step.label);
    if (!step.with_previous && depends(step)) {
        if (moved_) barrier(step.label);
        program_.add_fence(Scope::system, step.label);
        publish();
        barrier(step.label);
    }
    if (step.fenced) {
        if (moved_) barrier(step.label);
        program_.add_fence(Scope::system, step.label);
        barrier(step.label);
    }
    const std::size_t before = program_.operations.size();
    if (step.packets) {
        program_.add_packet_move(step.packet_sources, step.packet_destinations, step.bytes, step.type, step.reduction,
            step.label, step.with_previous);
        packets_ = true;
    } else {
        step.add_to(program_);
    }
    if (program_.operations.size() > before) program_.operations.back().turn = step.turn;
    read_.add(step.sources, step.bytes);
    written_.add(step.destinations, step.bytes);
    moved_ = true;
}

void WorkgroupOrder::bulk_copy(const MoveStep& step)
{
    if (!step.with_previous) {
        if (meets_bulk(step)) wait_for_bulk(step.label);
        if (depends(step)) {
            if (moved_) barrier(step.label);
            program_.add_fence(Scope::system, step.label);
            publish();
        }
    }
    program_.add_bulk(step.sources.front(), step.destinations, step.bytes, step.label);
    bulk_read_.add(step.sources, step.bytes);
    bulk_written_.add(step.destinations, step.bytes);
}

void WorkgroupOrder::signal(std::uint64_t flag, std::uint32_t label)
{
    if (!bulk_read_.empty()) wait_for_bulk(label);
    if (moved_) barrier(label);
    program_.add_signal(flag, label);
    publish();
}

void WorkgroupOrder::wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label)
{
    if (packets_) barrier(label);
    program_.add_wait(flag, value, label);
    waited_ = true;
}

void WorkgroupOrder::request(std::uint64_t operations, std::uint32_t label)
{
    if (moved_) barrier(label);
    program_.add_request(operations, written_.empty() ? Scope::unit : Scope::system, label);
    publish();
}

bool WorkgroupOrder::depends(const MoveStep& step) const
{
    for (const OpenRanges* open : {&written_, &published_})
        if (open->meets(step.sources, step.bytes) || open->meets(step.destinations, step.bytes)) return true;
    return read_.meets(step.destinations, step.bytes);
}

bool WorkgroupOrder::meets_bulk(const MoveStep& step) const
{
    return bulk_written_.meets(step.sources, step.bytes) || bulk_written_.meets(step.destinations, step.bytes) ||
        bulk_read_.meets(step.destinations, step.bytes);
}

void WorkgroupOrder::wait_for_bulk(std::uint32_t label)
{
    program_.add_bulk_wait(label);
    bulk_read_.clear();
    published_.take(bulk_written_);
}

void WorkgroupOrder::barrier(std::uint32_t label)
{
    program_.add_barrier(label);
    waited_ = moved_ = packets_ = false;
    read_.clear();
    published_.clear();
}

void ListOrder::move(const MoveStep& step)
{
    if (!step.with_previous &&
        (written_.meets(step.sources, step.bytes) || written_.meets(step.destinations, step.bytes) ||
            read_.meets(step.destinations, step.bytes))) {
        program_.add_fence(Scope::system, step.label);
        read_.clear();
        written_.clear();
    }
    program_.add_move(step.sources, step.destinations, step.bytes, step.type, step.reduction, step.label);
    read_.add(step.sources, step.bytes);
    written_.add(step.destinations, step.bytes);
}

void ListOrder::signal(std::uint64_t flag, std::uint32_t label)
{
    program_.add_signal(flag, label);
    read_.clear();
    written_.clear();
}

void ListOrder::wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label)
{
    program_.add_wait(flag, value, label);
}

}  // namespace weft
