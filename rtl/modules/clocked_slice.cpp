#include "rtl/modules/clocked_slice.h"

#include <fmt/format.h>

#include "rtl/modules/line_pins.h"
#include "rtl/modules/block_statistics.h"

namespace weft {

namespace {

constexpr unsigned fill_input = 0xffe;  // of an instant's arrivals after the requests, before the clock

}  // namespace

ClockedSlice::ClockedSlice(sc_core::sc_module_name name, EventQueue& event_queue, const SliceRequest& request,
    const Factory& make)
    : PinShell(name, event_queue, request.path, slice_block_spec(request.spec).clock), target("target", *this),
      memory("memory", *this), spec_(slice_block_spec(request.spec)), latency_(request.spec.latency),
      endpoint_(request.endpoint), image_(request.image), pool_(request.pool),
      board_(image_, static_cast<std::uint32_t>(request.spec.slices), request.index, request.endpoint,
          spec_.block.mshrs),
      flags_(request.spec, image_),
      flag_server_(std::max<std::uint64_t>(1, request.spec.bandwidth / request.spec.slices)),
      block_(make(spec_.block, path(), clock()))
{
    set_quiet_limit(spec_.block.hit_latency() + spec_.block.modify_clocks + 8);
    timer_.kind = timer;
    in_.endpoint = static_cast<std::uint16_t>(endpoint_);
    in_.resp_ready = in_.mem_read_ready = in_.mem_write_ready = true;
    block_->reset();
}

Time ClockedSlice::on_request(unsigned, Line& line, Time delay)
{
    line.kind = arrival;
    if (line.traced()) line.breakdown().home = event_queue().now() + delay;
    // Ties of one instant as at an L2Slice: by source GPU, then in the order of the on-die network.
    event_queue().schedule(line, *this, event_queue().now() + delay, line.source & 0xfffU);
    return 0;
}

Time ClockedSlice::on_response(unsigned, Line& line, Time delay)
{
    if (line.op == LineOp::write) {
        pool_.give(line);
        return 0;
    }
    line.kind = fill;
    event_queue().schedule(line, *this, event_queue().now() + delay, fill_input);
    return 0;
}

// Reads see what all requests that have come have made of memory.
unsigned ClockedSlice::debug(unsigned, Line& line)
{
    const std::uint64_t local = local_of(line.address);
    if (line.op == LineOp::read) {
        image_.read(local, line.data(), line.size);
    } else {
        image_.write_past_caches(local, line.data(), line.size);
    }
    return line.size;
}

void ClockedSlice::arrive(ScheduledItem& item, Time now)
{
    switch (static_cast<Work>(item.kind)) {
    case arrival: enter(Line::of(item), now); break;
    case entered: serve(Line::of(item), now); break;
    case fill: {
        Line& line = Line::of(item);
        fills_.push_back(line.tag);
        --in_memory_;
        pool_.give(line);
        wake_at(now);
        break;
    }
    case timer:
        flags_.expire(now, [this, now](Line& waiter, Time later) { answer(waiter, now + later); });
        set_timer();
        break;
    }
}

void ClockedSlice::enter(Line& line, Time now)
{
    const Time start = input_.limited() ? input_.admit(line, 0, now) : now;
    if (start == now) {
        serve(line, now);
    } else {
        line.kind = entered;
        event_queue().schedule(line, *this, start, line.source & 0xfffU);
    }
}

void ClockedSlice::serve(Line& line, Time now)
{
    if (MemoryImage::is_flag(local_of(line.address))) {
        serve_flag(line, now);
        return;
    }
    if (static_cast<unsigned>(line.op) > static_cast<unsigned>(LineOp::fetch))
        SC_REPORT_FATAL("/weft/l2",
            fmt::format("{}: {} of data arrived at a memory", path(), name_of(line.op)).c_str());
    if ((line.flags & LineHeader::packet_flag) != 0 && line.op != LineOp::write) flags_.note_poll(line);
    arrived_.push_back(board_.enter(line, now));
    wake_at(now);
}

void ClockedSlice::serve_flag(Line& line, Time now)
{
    const Time start = flag_server_.book(now, line_bytes).start;
    const Time ready = start + latency_;
    const bool timed = line.op == LineOp::monitor;
    target.return_request_credit(line, start - now);
    if (!flags_.serve(line, now, [this, ready](Line& served, Time later) { answer(served, ready + later); }))
        SC_REPORT_FATAL("/weft/l2", (path() + ": an operation for a switch arrived at a memory").c_str());
    if (timed) set_timer();
}

void ClockedSlice::set_timer()
{
    const Time next = flags_.next_deadline();
    if (next != SyncMonitor::never && !timer_.scheduled) event_queue().schedule(timer_, *this, next, 0xfffU);
}

void ClockedSlice::tick(Time now)
{
    take_edge(now);
    block_->at(now);
    drive(now);
    block_->cycle(in_, out_);
    count_clock();
    if (block_->failed()) {
        fail(now, block_->failure());
        return;
    }
    const bool moved = collect(now);
    if (!ok()) return;
    note_moved(moved);
    const std::size_t in_block = board_.inside() - arrived_.size();
    if (out_.idle && in_block > 0) {
        fail(now,
            fmt::format("the block reports that it is idle, but {} requests that it accepted have no response",
                in_block));
        return;
    }
    if (quiet() && board_.inside() > 0 && in_memory_ == 0) {
        fail(now,
            fmt::format(
                "the block makes no progress and waits for no response of the memory; {} requests have no response",
                board_.inside()));
        return;
    }
    const bool asleep = arrived_.empty() && fills_.empty() && block_->idle();
    if (!asleep && !quiet()) wake_at(next_edge());
}

void ClockedSlice::drive(Time now)
{
    const bool held = in_.req_valid && !out_.req_ready;  // on the pins since the clock before
    in_.req_valid = !arrived_.empty();
    if (in_.req_valid && !held) {
        const SliceScoreboard::Flight& flight = board_.at(arrived_.front());
        in_.req = flight.request;
        recent_.add(requests, now, RecentLines::no_channel, in_.req);
        if (block_->waving()) {
            LineBits real = in_.req;
            real.set_place(real.destination(), board_.address_of(real));
            block_->note(0, describe(real));
        }
    }
    in_.mem_resp_valid = !fills_.empty();
    if (in_.mem_resp_valid) board_.fill(fills_.front(), in_.mem_resp);
}

// What the pins say. Whether anything moves.
bool ClockedSlice::collect(Time now)
{
    bool moved = out_.resp_valid || out_.mem_read_valid || out_.mem_write_valid;
    if (in_.req_valid && out_.req_ready) {
        moved = true;
        ++taken_;
        target.return_request_credit(*board_.at(arrived_.front()).line, 0);
        arrived_.pop_front();
    }
    if (in_.mem_resp_valid && out_.mem_resp_ready) {
        moved = true;
        board_.filled(fills_.front());
        fills_.pop_front();
    }
    hits_ += out_.hit ? 1 : 0;
    missed_ += out_.miss ? 1 : 0;
    merged_ += out_.merged ? 1 : 0;
    written_back_ += out_.write_back ? 1 : 0;
    moved = moved || out_.hit || out_.miss || out_.merged || out_.write_back;
    if (out_.mem_write_valid && !write_memory(now)) return true;
    if (out_.mem_read_valid && !ask_memory(now)) return true;
    if (out_.resp_valid) answer_request(now);
    return moved;
}

bool ClockedSlice::write_memory(Time now)
{
    recent_.add(write_backs, now, RecentLines::no_channel, out_.mem_write);
    const std::string what = board_.wrote(out_.mem_write);
    if (!what.empty()) {
        fail(now, "mem_write: " + what);
        return false;
    }
    Line& line = pool_.take();
    line.begin(LineOp::write, global_address(endpoint_, board_.address_of(out_.mem_write)), line_bytes)
        .flag(LineHeader::refill_flag)
        .source(endpoint_);
    memory.send_request(line, 0);
    return true;
}

bool ClockedSlice::ask_memory(Time now)
{
    recent_.add(reads, now, RecentLines::no_channel, out_.mem_read);
    const std::string what = board_.read(out_.mem_read);
    if (!what.empty()) {
        fail(now, "mem_read: " + what);
        return false;
    }
    Line& fetch = pool_.take();
    fetch.begin(LineOp::read, global_address(endpoint_, board_.address_of(out_.mem_read)), line_bytes)
        .flag(LineHeader::refill_flag)
        .source(endpoint_)
        .tag(out_.mem_read.tag());
    ++in_memory_;
    memory.send_request(fetch, 0);
    return true;
}

bool ClockedSlice::answer_request(Time now)
{
    recent_.add(answers, now, RecentLines::no_channel, out_.resp);
    std::string what;
    SliceScoreboard::Flight* const flight = board_.answered(out_.resp, what);
    if (flight == nullptr) {
        fail(now, "resp: " + what);
        return false;
    }
    Line& line = *flight->line;
    if (image_.data_on()) data_of(out_.resp, LineClass::response, line);
    board_.free(out_.resp.tag());
    answer(line, now + spec_.rest);
    return true;
}

void ClockedSlice::answer(Line& line, Time at)
{
    if ((line.flags & LineHeader::posted_flag) != 0) {
        pool_.give(line);
        return;
    }
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    if (line.traced()) line.breakdown().answered = at;
    target.send_response(line, at - event_queue().now());
}

void ClockedSlice::fail(Time now, const std::string& what)
{
    tell(now, ", " + what);
    for (const auto& [recent, name] : {std::pair{answers, "answer"}, std::pair{requests, "request"},
             std::pair{reads, "read"}, std::pair{write_backs, "write-back"}})
        tell_recent(recent_, recent, name);
}

std::vector<std::string> ClockedSlice::blocked() const
{
    if (board_.inside() == 0) return {};
    return {fmt::format("{}: {} requests have no response; {} of them wait in front of the slice", path(),
        board_.inside(), arrived_.size())};
}

void ClockedSlice::check_contents()
{
    if (!ok()) return;
    Time now = next_edge();
    if (board_.inside() > 0) {
        fail(now, fmt::format("{} requests have no response at the end", board_.inside()));
        return;
    }
    if (now == 0 || !image_.data_on()) return;
    in_.req_valid = in_.mem_resp_valid = false;
    in_.flush = true;
    // Of a walk: a place a clock, or three where what is there goes to memory.
    const std::uint64_t most = 4ULL * spec_.block.sets * spec_.block.ways + 1000;
    for (std::uint64_t clock = 0; !out_.flushed; ++clock, now += this->clock()) {
        if (clock == most) {
            fail(now, "flush does not end");
            return;
        }
        block_->at(now);
        block_->cycle(in_, out_);
        if (block_->failed()) {
            fail(now, block_->failure());
            return;
        }
        if (!out_.mem_write_valid) continue;
        recent_.add(write_backs, now, RecentLines::no_channel, out_.mem_write);
        const std::string what = board_.wrote(out_.mem_write);
        if (!what.empty()) {
            fail(now, "flush, mem_write: " + what);
            return;
        }
    }
    in_.flush = false;
    const std::string lost = board_.lost_line();
    if (!lost.empty()) fail(now, "memory after the flush: " + lost);
}

std::vector<Statistic> ClockedSlice::statistics() const
{
    const Time busy = taken_ * clock() + flag_server_.busy();
    std::vector<Statistic> out;
    StatisticWriter write(clocked_slice_statistics(), out);
    write("hits", hits_);
    write("misses", missed_);
    write("merged", merged_);
    write("write_backs", written_back_);
    write("flag_operations", flags_.operations());
    write("busy", busy);
    write("clocks", clocks());
    flags_.add_statistics(out);
    return out;
}

void ClockedSlice::reset_statistics()
{
    hits_ = missed_ = merged_ = written_back_ = taken_ = 0;
    reset_clocks();
    flag_server_.reset_busy();
    flags_.reset_statistics();
}

}  // namespace weft
