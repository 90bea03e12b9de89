#include "rtl/cache/reference_slice.h"

#include <algorithm>
#include <cstring>

#include "rtl/cache/llc_line.h"

namespace weft {

namespace {

const LlcParameters& checked(const LlcParameters& parameters)
{
    parameters.check();
    return parameters;
}

}  // namespace

ReferenceSlice::ReferenceSlice(const LlcParameters& parameters)
    : parameters_(checked(parameters)), rows_(parameters.sets, parameters.ways, parameters.index_low),
      data_(std::size_t{rows_.places()} * 64), readable_from_(rows_.places()), queue_(parameters.queue),
      responses_(parameters.responses), write_backs_(parameters.write_backs), reads_(parameters.mshrs),
      entries_(parameters.mshrs), free_((parameters.mshrs + 63) / 64),
      waiting_(std::size_t{parameters.mshrs} * (parameters.merges + 1))
{
    reset();
}

void ReferenceSlice::reset()
{
    rows_.reset();
    std::fill(readable_from_.begin(), readable_from_.end(), 0);
    queue_.clear();
    responses_.clear();
    write_backs_.clear();
    reads_.clear();
    std::fill(free_.begin(), free_.end(), 0);
    for (std::uint32_t i = 0; i < parameters_.mshrs; ++i) free_[i / 64] |= std::uint64_t{1} << i % 64;
    busy_ = 0;
    following_ = turn_of_request_ = walked_ = flushed_ = false;
    walk_at_ = 0;
    counters_ = {};
    clock_ = 1;
    moving_until_ = 0;
    idle_ = true;
}

void ReferenceSlice::show(const LlcIn& in, LlcOut& out) const
{
    out.req_ready = !queue_.full();
    const bool request_there = !queue_.empty() && queue_.front().due <= clock_;
    out.mem_resp_ready = !following_ && room_ && !(turn_of_request_ && request_there);
    out.resp_valid = !responses_.empty() && responses_.front().due <= clock_;
    if (out.resp_valid) out.resp = responses_.front().line;
    out.mem_read_valid = !reads_.empty();
    if (out.mem_read_valid) {
        const std::uint32_t entry = reads_.front();
        out.mem_read.clear();
        address_memory(out.mem_read, rows_[entries_[entry].place].line, in.endpoint, false, entry);
    }
    out.mem_write_valid = !write_backs_.empty() && write_backs_.front().due <= clock_;
    if (out.mem_write_valid) out.mem_write = write_backs_.front().line;
    out.flushed = flushed_;
    out.hit = counters_.hit;
    out.miss = counters_.miss;
    out.merged = counters_.merged;
    out.write_back = counters_.write_back;
    out.idle = queue_.empty() && responses_.empty() && busy_ == 0 && write_backs_.empty() && clock_ > moving_until_ &&
        in.flush == flushed_ && !in.req_valid && !in.mem_resp_valid;
}

void ReferenceSlice::cycle(const LlcIn& in, LlcOut& out)
{
    room_ = !responses_.full();
    write_room_ = !write_backs_.full();
    endpoint_ = in.endpoint;
    show(in, out);
    idle_ = out.idle;
    counters_ = {};
    const bool all_written = in.flush && walked_ && write_backs_.empty();
    if (!in.flush) walked_ = false;

    if (following_) {
        follow();
    } else if (in.mem_resp_valid && out.mem_resp_ready) {
        turn_of_request_ = true;
        land(in.mem_resp);
    } else {
        turn_of_request_ = false;
        if (in.flush) {
            if (busy_ == 0 && !walked_) walk();
        } else if (!queue_.empty() && queue_.front().due <= clock_) {
            look(queue_.front().line);
        }
    }

    flushed_ = all_written;
    if (out.resp_valid && in.resp_ready) responses_.pop();
    if (out.mem_read_valid && in.mem_read_ready) reads_.pop();
    if (out.mem_write_valid && in.mem_write_ready) write_backs_.pop();
    if (in.req_valid && out.req_ready) {
        Dated& request = queue_.push();
        request.line = in.req;
        request.due = clock_ + parameters_.tag_clocks;
    }
    ++clock_;
}

void ReferenceSlice::look(const LineBits& request)
{
    const std::uint32_t place = rows_.find(line_number(request));
    if (place == LlcRows::none ? look_at_absent(request) : look_at_present(request, place)) queue_.pop();
}

bool ReferenceSlice::look_at_present(const LineBits& request, std::uint32_t place)
{
    if (rows_[place].state == LlcRows::pending) {
        const std::uint32_t number = rows_[place].entry;
        Entry& entry = entries_[number];
        if (entry.count > parameters_.merges) return false;
        list(number)[entry.count++] = request;
        rows_.touch(place);
        counters_.merged = true;
        return true;
    }
    if (!room_ || !(is_write(request) || readable(place))) return false;
    counters_.hit = true;
    answer(request, place, false);
    return true;
}

bool ReferenceSlice::look_at_absent(const LineBits& request)
{
    const std::uint64_t number = line_number(request);
    const bool whole = is_full_write(request);
    if (whole ? !room_ : busy_ == parameters_.mshrs || returning(number)) return false;
    const std::uint32_t place = rows_.victim(number);
    if (place == LlcRows::none || !takes_out(place)) return false;
    rows_[place].line = number;
    if (whole) {
        counters_.hit = true;
        answer(request, place, false);
        return true;
    }
    counters_.miss = true;
    const std::uint32_t entry = lowest_free();
    free_[entry / 64] &= ~(std::uint64_t{1} << entry % 64);
    ++busy_;
    entries_[entry] = {place, 1};
    list(entry)[0] = request;
    rows_[place].state = LlcRows::pending;
    rows_[place].entry = static_cast<std::uint16_t>(entry);
    rows_.touch(place);
    reads_.push() = entry;
    return true;
}

// The first of the list is done with the line as it came.
void ReferenceSlice::land(const LineBits& line)
{
    const std::uint32_t number = line.tag();
    if (number >= parameters_.mshrs) return;
    const Entry& entry = entries_[number];
    std::memcpy(data(entry.place), line.data(), 64);
    rows_[entry.place].state = LlcRows::clean;
    answer(list(number)[0], entry.place, true);
    if (entry.count == 1) {
        finish(number);
    } else {
        following_ = true;
        followed_ = number;
        position_ = 1;
    }
}

void ReferenceSlice::follow()
{
    const Entry& entry = entries_[followed_];
    const LineBits& request = list(followed_)[position_];
    if (!room_ || !(is_write(request) || readable(entry.place))) return;
    answer(request, entry.place, false);
    if (++position_ == entry.count) {
        following_ = false;
        finish(followed_);
    }
}

void ReferenceSlice::walk()
{
    if (rows_[walk_at_].state == LlcRows::dirty) {
        if (!takes_out(walk_at_)) return;
        rows_[walk_at_].state = LlcRows::clean;
    }
    if (++walk_at_ == rows_.places()) {
        walk_at_ = 0;
        walked_ = true;
    }
}

// False: what is there is dirty and cannot go yet.
bool ReferenceSlice::takes_out(std::uint32_t place)
{
    if (rows_[place].state != LlcRows::dirty) return true;
    if (!write_room_ || !readable(place)) return false;
    put_out(place);
    return true;
}

void ReferenceSlice::put_out(std::uint32_t place)
{
    counters_.write_back = true;
    Dated& line = write_backs_.push();
    address_memory(line.line, rows_[place].line, endpoint_, true, 0);
    std::memcpy(line.line.data(), data(place), 64);
    line.due = clock_ + 2;
    moving_until_ = std::max(moving_until_, clock_ + 1);
}

void ReferenceSlice::answer(const LineBits& request, std::uint32_t place, bool landed)
{
    Dated& response = responses_.push();
    response.line = request;
    response.due = clock_ + parameters_.data_clocks;
    carry_out(response.line, data(place));
    const bool writes = !is_read(request);
    if (writes) rows_[place].state = LlcRows::dirty;
    rows_.touch(place);
    std::uint64_t until = clock_ + 1;
    if (writes || landed) {
        until += parameters_.modify_clocks;
        readable_from_[place] = until;
    }
    moving_until_ = std::max(moving_until_, until);
}

void ReferenceSlice::finish(std::uint32_t entry)
{
    free_[entry / 64] |= std::uint64_t{1} << entry % 64;
    --busy_;
}

bool ReferenceSlice::returning(std::uint64_t number) const
{
    for (std::size_t i = 0; i < write_backs_.size(); ++i)
        if (line_number(write_backs_[i].line) == number) return true;
    return false;
}

std::uint32_t ReferenceSlice::lowest_free() const
{
    std::uint32_t word = 0;
    while (free_[word] == 0) ++word;
    return word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(free_[word]));
}

}  // namespace weft
