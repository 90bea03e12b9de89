// What copy engines do with their command lists: whose copy is next, signals, waits.
#include "gpu/copies/dma_engines.h"

#include <algorithm>

namespace weft {

std::uint32_t DmaEngines::launch(const List& list)
{
    const auto count = static_cast<std::uint32_t>(engines_.size());
    if (list.proxied) {
        Engine& engine = *engines_[next_engine_];
        next_engine_ = (next_engine_ + 1) % count;
        return place(list, engine, event_queue().now()).index;
    }
    for (std::uint32_t step = 0; step < count && queued_.empty(); ++step) {
        const std::uint32_t number = (next_engine_ + step) % count;
        if (engines_[number]->lists >= copy_.queues) continue;
        next_engine_ = (number + 1) % count;
        place(list, *engines_[number], event_queue().now());
        return 0;
    }
    queued_.emplace_back(list, event_queue().now());
    return 0;
}

DmaEngines::Queue& DmaEngines::place(const List& list, Engine& engine, Time since)
{
    if (free_queues_.empty()) {
        free_queues_.push_back(static_cast<std::uint32_t>(queues_.size()));
        queues_.emplace_back();
        queues_.back().kind = queue_kind;
        queues_.back().index = free_queues_.back();
    }
    Queue& queue = queues_[free_queues_.back()];
    free_queues_.pop_back();
    queue.list = list;
    queue.engine = &engine;
    queue.next = 0;
    queue.copying = queue.posted = 0;
    queue.active = true;
    queue.loading = queue.waiting = false;
    queue.granted = 0;
    queue.awake = !list.proxied;
    if (list.proxied) return queue;
    ++engine.lists;
    lists_queued_ += event_queue().now() - since;
    list_log_.place(queue.index, list.log, event_queue().now() - since, event_queue().now());
    progress_.busy();  // from here on: one that has no place changes nothing before others end
    go_on(queue);
    return queue;
}

void DmaEngines::cut_off(Time end)
{
    list_log_.cut_off(end);
    for (const auto& [list, since] : queued_) {
        list_log_.cut_off_queued(end - since);
        lists_queued_ += end - since;
    }
}

void DmaEngines::request(std::uint32_t list, std::uint64_t operations, Time delay)
{
    if (free_grants_.empty()) {
        free_grants_.push_back(static_cast<std::uint32_t>(grants_.size()));
        grants_.emplace_back();
        grants_.back().kind = grant_kind;
        grants_.back().number = free_grants_.back();
    }
    Grant& grant = grants_[free_grants_.back()];
    free_grants_.pop_back();
    grant.queue = list;
    grant.operations = operations;
    progress_.busy();
    event_queue().schedule(grant, *this, proxy_.handed_on(event_queue().now() + delay), list & 0xfffU);
}

void DmaEngines::grant(Grant& grant)
{
    Queue& queue = queues_[grant.queue];
    queue.granted += grant.operations;
    free_grants_.push_back(grant.number);
    if (!queue.awake) progress_.busy();
    queue.awake = true;
    go_on(queue);
    progress_.quiet(event_queue().now());
}

// A proxied list that has done what it was asked for changes nothing any more.
void DmaEngines::rest(Queue& queue)
{
    if (!queue.awake || queue.copying > 0) return;
    queue.awake = false;
    progress_.quiet(event_queue().now());
}

void DmaEngines::wait_for(const Queue& queue, StallCause cause)
{
    if (!queue.list.proxied) list_log_.wait(queue.index, cause, event_queue().now());
}

// Notes the cause for the list whose descriptor is at the head.
void DmaEngines::copies_at_head(const Engine& engine, StallCause cause)
{
    if (!engine.bulk && !engine.waiting.empty()) wait_for(queues_[descriptors_[engine.waiting.front()].owner], cause);
}

void DmaEngines::responded(const Queue& queue, Line& line)
{
    if (line.traced()) list_log_.respond(queue.index, line, event_queue().now());
}

// Tells every workgroup with copies at the engine that it has waited, once however many copies it has there.
void DmaEngines::copies_have_waited(const Engine& engine)
{
    for (auto copy = engine.waiting.begin(); copy != engine.waiting.end(); ++copy) {
        const Descriptor& waits = descriptors_[*copy];
        if (waits.since > event_queue().now()) continue;  // on its way
        const bool first = std::none_of(engine.waiting.begin(), copy,
            [&](std::uint32_t before) { return descriptors_[before].owner == waits.owner; });
        if (first) listener_.log().wait_for_engine(waits.owner, std::max(engine.rests_since, waits.since));
    }
}

void DmaEngines::traces(const Descriptor& copy, const LineIssue& issue)
{
    if (copy.engine->bulk) {
        listener_.log().trace_bulk(copy.owner, issue);
    } else if (!queues_[copy.owner].list.proxied) {
        list_log_.trace(copy.owner, issue, event_queue().now());
    }
}

void DmaEngines::responded(const Descriptor& copy, Line& line)
{
    if (!line.traced()) return;
    if (copy.engine->bulk) {
        listener_.log().respond_bulk(copy.owner, line);
    } else {
        responded(queues_[copy.owner], line);
    }
}

// Carries out what can be carried out now.
void DmaEngines::go_on(Queue& queue)
{
    const Program& program = *queue.list.program;
    while (queue.active && !queue.loading && !queue.waiting) {
        if (!queue.list.proxied) list_log_.begin(queue.index, program, queue.next, event_queue().now());
        if (queue.next == program.operations.size()) {
            wait_for(queue, StallCause::fence);
            if (queue.copying + queue.posted == 0) end(queue);
            return;
        }
        if (queue.list.proxied && queue.next == queue.granted) return rest(queue);
        const Operation& operation = program.operations[queue.next];
        switch (operation.kind) {
        case Operation::Kind::barrier: break;
        case Operation::Kind::move:
            if (operation.sources != 1) SC_REPORT_FATAL("/weft/gpu/copy", "a copy engine copies from one source only");
            ++queue.copying;
            queue.loading = true;
            wait_for(queue, StallCause::issue);
            submit(*queue.engine, program.operands.data() + operation.first_operand, operation, queue.index, 0);
            break;
        case Operation::Kind::fence:
            wait_for(queue, StallCause::fence);
            if (queue.copying > 0) return;
            break;
        case Operation::Kind::signal:
            wait_for(queue, StallCause::fence);
            if (queue.copying > 0) return;
            signal(queue, operation);
            break;
        case Operation::Kind::wait:
            queue.waiting = true;
            wait_for(queue, StallCause::flag);
            progress_.enter_spin();
            progress_.quiet(event_queue().now());
            poll(queue);
            return;
        default: SC_REPORT_FATAL("/weft/gpu/copy", "a copy engine only copies, signals and waits");
        }
        ++queue.next;
    }
}

void DmaEngines::signal(Queue& queue, const Operation& operation)
{
    Line& line = pool_.take();
    const LineIssue issue = line.begin(LineOp::atomic, operation.address, 8);
    issue.flag(LineHeader::control_flag);
    line.set_operand(1);
    ++queue.posted;
    ++copied_.signals;
    progress_.busy();
    if (!queue.list.proxied) list_log_.trace(queue.index, issue, event_queue().now());
    send(issue, *queue.engine, queue.index, MoverUse::word);
}

void DmaEngines::poll(Queue& queue)
{
    Line& line = pool_.take();
    const LineIssue issue = line.begin(LineOp::read, queue.list.program->operations[queue.next].address, 8);
    issue.flag(LineHeader::control_flag | LineHeader::poll_flag);
    queue.polled_at = event_queue().now();
    progress_.poll_leaves(queue.polled_at);
    ++copied_.flag_reads;
    send(issue, *queue.engine, queue.index, MoverUse::word);
}

void DmaEngines::word_answered(Line& line, Queue& queue)
{
    const bool signalled = line.op == LineOp::atomic;
    const std::uint64_t value = line.operand();
    responded(queue, line);
    pool_.give(line);
    if (signalled) {
        progress_.quiet(event_queue().now());
        --queue.posted;
        go_on(queue);
    } else if (value >= queue.list.program->operations[queue.next].value) {
        progress_.busy();
        progress_.leave_spin();
        queue.waiting = false;
        ++queue.next;
        go_on(queue);
    } else if (progress_.polled_in_vain(queue.polled_at, queue.vain_epoch)) {
        cannot_progress_ = true;
        event_queue().stop();
    } else {
        event_queue().schedule(queue, *this, event_queue().now() + copy_.poll_interval, queue.index & 0xfffU);
    }
}

void DmaEngines::end(Queue& queue)
{
    const List list = queue.list;
    Engine& engine = *queue.engine;
    if (!list.proxied) list_log_.end(queue.index, event_queue().now());
    queue.active = false;
    free_queues_.push_back(queue.index);
    if (!list.proxied) --engine.lists;
    if (!list.proxied && !queued_.empty()) {
        const auto [next, since] = queued_.front();
        queued_.pop_front();
        place(next, engine, since);
    }
    if (list.listener != nullptr) list.listener->on_workgroup_done(list.token);
    progress_.quiet(event_queue().now());
}

std::vector<ComputeUnits::Blocked> DmaEngines::blocked() const
{
    std::vector<ComputeUnits::Blocked> out;
    for (const Queue& queue : queues_) {
        if (!queue.active) continue;
        const std::vector<Operation>& operations = queue.list.program->operations;
        ComputeUnits::Blocked entry{queue.list.token, 0, operations.size(), Operation::Kind::move, 0, 0,
            queue.engine->open};
        if (queue.next < operations.size()) {
            const Operation& operation = operations[queue.next];
            entry = {queue.list.token, operation.label, queue.next, operation.kind, operation.address, operation.value,
                queue.engine->open};
            if (queue.list.proxied && queue.next == queue.granted) {
                entry.kind = Operation::Kind::request;
                entry.in_flight = queue.copying;
            }
        }
        out.push_back(entry);
    }
    return out;
}

}  // namespace weft
