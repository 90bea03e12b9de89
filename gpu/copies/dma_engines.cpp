#include "gpu/copies/dma_engines.h"

#include <algorithm>
#include <cstring>

#include "gpu/copies/copy_statistics.h"
#include "gpu/units/transaction_cut.h"

namespace weft {

namespace {

void write_moved(StatisticWriter& write, std::uint64_t descriptors, std::uint64_t bytes, std::uint64_t lines,
    Time queued)
{
    write("lines", lines);
    write("descriptors", descriptors);
    write("bytes", bytes);
    write("time_queued", queued);
}

}  // namespace

DmaEngines::DmaEngines(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const CopySpec& copy,
    const BulkSpec& bulk, std::uint32_t units, LinePool& pool, Progress& progress, bool data_on,
    const PathChooser& paths, BulkListener& listener, std::uint32_t grain)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), memory("memory", *this), copy_(copy), bulk_(bulk),
      pool_(pool), progress_(progress), data_on_(data_on), grain_(grain), paths_(paths), listener_(listener),
      bulk_engines_(units), proxy_(copy)
{
    for (std::uint64_t e = 0; e < copy.engines; ++e)
        engines_.push_back(make_engine(static_cast<std::uint32_t>(e * units / copy.engines), false));
}

std::unique_ptr<DmaEngines::Engine> DmaEngines::make_engine(std::uint32_t unit, bool bulk) const
{
    auto engine = std::make_unique<Engine>();
    engine->unit = unit;
    engine->bulk = bulk;
    engine->in_flight = bulk ? bulk_.in_flight : copy_.in_flight;
    engine->start = bulk ? bulk_.start : copy_.start;
    engine->rate.set_rate(bulk ? bulk_.rate : copy_.rate);
    engine->kind = engine_kind;
    return engine;
}

void DmaEngines::copy(std::uint32_t unit, const std::uint64_t* operands, const Operation& operation,
    std::uint32_t workgroup, Time delay)
{
    std::unique_ptr<Engine>& engine = bulk_engines_[unit];
    if (engine == nullptr) engine = make_engine(unit, true);
    submit(*engine, operands, operation, workgroup, delay);
}

void DmaEngines::submit(Engine& engine, const std::uint64_t* operands, const Operation& operation, std::uint32_t owner,
    Time delay)
{
    if (free_descriptors_.empty()) {
        free_descriptors_.push_back(static_cast<std::uint32_t>(descriptors_.size()));
        descriptors_.emplace_back();
    }
    const std::uint32_t index = free_descriptors_.back();
    free_descriptors_.pop_back();
    const Time arrival = event_queue().now() + delay;
    descriptors_[index] = {&engine, operands, operation.bytes, 0, operation.destinations, 0, owner, transfers_, arrival,
        0};
    transfers_ += operation.destinations + 1U;
    Counts& count = counts(engine);
    ++count.descriptors;
    count.bytes += operation.bytes;
    engine.waiting.push_back(index);
    if (engine.waiting.size() == 1) come_to_head(engine, arrival);
}

void DmaEngines::come_to_head(Engine& engine, Time arrival)
{
    Descriptor& head = descriptors_[engine.waiting.front()];
    counts(engine).queued += arrival - head.since;
    head.first = arrival + engine.start;
    copies_at_head(engine, StallCause::none);
    rest_until(engine, std::max(head.first, engine.rate.free_at()));
}

void DmaEngines::rest_until(Engine& engine, Time next_load)
{
    if (engine.scheduled) return;
    engine.rests_since = event_queue().now();
    event_queue().schedule(engine, *this, next_load, engine.unit & 0xfffU);
}

// Issues what may issue now; a response or the engine's wake-up calls again.
void DmaEngines::pump(Engine& engine)
{
    if (engine.open < engine.in_flight) copies_at_head(engine, StallCause::none);
    while (!engine.waiting.empty() && engine.open < engine.in_flight) {
        const std::uint32_t index = engine.waiting.front();
        const Time earliest = std::max(descriptors_[index].first, engine.rate.free_at());
        if (earliest > event_queue().now()) {
            rest_until(engine, earliest);
            return;
        }
        load_piece(engine, index);
        if (descriptors_[index].position < descriptors_[index].bytes) continue;
        engine.waiting.pop_front();
        if (!engine.waiting.empty())
            come_to_head(engine, std::max(event_queue().now(), descriptors_[engine.waiting.front()].since));
        if (engine.bulk) continue;
        Queue& queue = queues_[descriptors_[index].owner];
        queue.loading = false;
        go_on(queue);
    }
    if (engine.open >= engine.in_flight) copies_at_head(engine, StallCause::outstanding);
}

void DmaEngines::load_piece(Engine& engine, std::uint32_t index)
{
    Descriptor& copy = descriptors_[index];
    std::uint64_t size = copy.bytes - copy.position;
    for (std::uint32_t operand = 0; operand <= copy.destinations; ++operand)
        size = transaction_bytes(copy.operands[operand] + copy.position, size, grain_);
    const LineIssue issue =
        pool_.take().begin(LineOp::read, copy.operands[0] + copy.position, static_cast<std::uint32_t>(size));
    issue.transfer(mover_transfer(copy.transfer));
    copy.position += size;
    const std::uint32_t lines = issue.line().lines();
    engine.rate.book(event_queue().now(), lines * line_bytes * std::max(1U, copy.destinations));
    copy.open += lines;
    engine.open += lines;
    traces(copy, issue);
    send(issue, engine, index, MoverUse::load);
}

void DmaEngines::send(const LineIssue& issue, const Engine& engine, std::uint32_t index, MoverUse use)
{
    paths_.route(issue.tag(MoverTag{engine.unit, index, use}.packed()));
    counts(engine).lines += issue.line().lines();
    memory.send_request(issue, engine.bulk ? ports_->set_out(engine.unit, issue.line(), event_queue().now(), 0) : 0);
}

Time DmaEngines::on_response(unsigned, Line& line, Time delay)
{
    line.kind = static_cast<std::uint8_t>(DieStage::leaving);
    event_queue().schedule(line, *this, event_queue().now() + delay, line.tag >> 20U);
    return 0;
}

// Whether a response of a bulk copy is through the network. If not, it comes again.
bool DmaEngines::try_arrive(Line& line)
{
    auto stage = static_cast<DieStage>(line.kind);
    const MoverTag tag = MoverTag::of(line.tag);
    const bool bulk = tag.use != MoverUse::word && descriptors_[tag.index].engine->bulk;
    if (stage == DieStage::through || (!bulk && !line.wide())) return true;
    const Time now = event_queue().now();
    Time start = now;
    if (bulk) {
        start = ports_->arrive(line, tag.unit, line.destination == line.source, stage, now);
    } else {
        stage = DieStage::through;
    }
    if (line.wide() && stage == DieStage::through)
        start += std::max<Time>(line.tail, bulk ? ports_->in.tail_of(line, LineClass::response) : 0U);
    if (start == now) return true;
    line.kind = static_cast<std::uint8_t>(stage);
    event_queue().schedule(line, *this, start, line.tag >> 20U);
    return false;
}

void DmaEngines::run(ScheduledItem& item)
{
    if (item.kind == engine_kind) {
        auto& engine = static_cast<Engine&>(item);
        if (engine.bulk && listener_.log().on()) copies_have_waited(engine);
        pump(engine);
        return;
    }
    if (item.kind == queue_kind) {
        poll(static_cast<Queue&>(item));
        return;
    }
    if (item.kind == grant_kind) {
        grant(static_cast<Grant&>(item));
        return;
    }
    Line& line = Line::of(item);
    if (!try_arrive(line)) return;
    const MoverTag tag = MoverTag::of(line.tag);
    switch (tag.use) {
    case MoverUse::load: loaded(line, tag.index); break;
    case MoverUse::store:
        responded(descriptors_[tag.index], line);
        line_done(tag.index, line.lines());
        pool_.give(line);
        break;
    case MoverUse::word: word_answered(line, queues_[tag.index]); break;
    }
}

void DmaEngines::loaded(Line& line, std::uint32_t index)
{
    const Descriptor& copy = descriptors_[index];
    Engine& engine = *copy.engine;
    const std::uint64_t offset = line.address - copy.operands[0];
    const std::uint32_t lines = line.lines();
    descriptors_[index].open += copy.destinations * lines;
    engine.open += copy.destinations * lines;
    for (std::uint32_t destination = 1; destination <= copy.destinations; ++destination) {
        Line& store = pool_.take();
        const LineIssue issue = store.begin(LineOp::write, copy.operands[destination] + offset, line.size);
        issue.transfer(mover_transfer(copy.transfer + destination));
        if (data_on_) std::memcpy(store.data(), line.data(), line.size);
        if (line.traced()) traces(copy, issue);
        send(issue, engine, index, MoverUse::store);
    }
    responded(copy, line);
    pool_.give(line);
    line_done(index, lines);
}

// A transaction of the descriptor has its response.
void DmaEngines::line_done(std::uint32_t index, std::uint32_t lines)
{
    progress_.changed();
    Descriptor& copy = descriptors_[index];
    Engine& engine = *copy.engine;
    engine.open -= lines;
    copy.open -= lines;
    if (copy.open == 0 && copy.position == copy.bytes) {
        const std::uint32_t owner = copy.owner;
        free_descriptors_.push_back(index);
        if (engine.bulk) {
            listener_.on_bulk_done(owner);
        } else {
            --queues_[owner].copying;
            go_on(queues_[owner]);
        }
    }
    pump(engine);
}

std::vector<Statistic> DmaEngines::copy_statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(copy_engine_statistics(), out);
    write_moved(write, copied_.descriptors, copied_.bytes, copied_.lines, copied_.queued);
    write("signals", copied_.signals);
    write("flag_reads", copied_.flag_reads);
    write("time_lists_queued", lists_queued_);
    if (proxy_.requests() > 0) {
        write("requests", proxy_.requests());
        write("time_requests_queued", proxy_.queued());
    }
    return out;
}

std::vector<Statistic> DmaEngines::bulk_statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(bulk_engine_statistics(), out);
    write_moved(write, bulk_copied_.descriptors, bulk_copied_.bytes, bulk_copied_.lines, bulk_copied_.queued);
    return out;
}

}  // namespace weft
