#include "tlm_interconnect/agenda.h"

#include <algorithm>
#include <stdexcept>

namespace weft {

namespace {

// Items between two calls of the watch.
constexpr std::uint64_t watch_mask = (1U << 12) - 1;

}  // namespace

Station::Station(Agenda& agenda, std::string path) : agenda_(agenda), path_(std::move(path))
{
    agenda_.stations_.push_back(this);
}

Agenda::Agenda(sc_core::sc_module_name name)
    : sc_module(name), wheel_(buckets, nullptr), occupied_(buckets / 64, 0)
{
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
        SC_REPORT_FATAL("/weft/agenda", "the time resolution must be 1 ps");
    open_.reserve(1024);
    SC_METHOD(wake);
    sensitive << event_;
    dont_initialize();
}

void Agenda::end_of_elaboration()
{
    std::sort(stations_.begin(), stations_.end(),
        [](const Station* a, const Station* b) { return a->path_ < b->path_; });
    if (stations_.size() >= (std::size_t{1} << 20))
        SC_REPORT_FATAL("/weft/agenda", "more than 2^20 stations");
    for (std::size_t i = 0; i < stations_.size(); ++i) {
        if (i > 0 && stations_[i]->path_ == stations_[i - 1]->path_)
            SC_REPORT_FATAL("/weft/agenda", ("two stations are called " + stations_[i]->path_).c_str());
        stations_[i]->rank_ = static_cast<std::uint32_t>(i);
    }
    rank_pending();
}

// Items scheduled before ranks existed get theirs.
void Agenda::rank_pending()
{
    const auto rank = [](AgendaItem& item) { item.order = (item.owner->rank_ << 12) | (item.order & 0xfffU); };
    for (std::size_t i = cursor_; i < open_.size(); ++i) {
        rank(*open_[i].item);
        open_[i].order = open_[i].item->order;
    }
    std::sort(open_.begin() + static_cast<std::ptrdiff_t>(cursor_), open_.end());
    for (AgendaItem* item : wheel_)
        for (; item != nullptr; item = item->next) rank(*item);
    for (const Far& entry : far_) rank(*entry.item);
}

void Agenda::set_end(Time end)
{
    end_ = end;
    if (!running_ && pending_ > 0) notify_self();
}

void Agenda::stop()
{
    stopped_ = true;
    if (!running_ && sc_core::sc_is_running()) sc_core::sc_stop();
}

void Agenda::enter()
{
    if (!running_) now_ = to_ps(sc_core::sc_time_stamp());
}

void Agenda::notify_kernel(sc_core::sc_event& event, Time due)
{
    const Time kernel = to_ps(sc_core::sc_time_stamp());
    event.notify(to_sc_time(due > kernel ? due - kernel : 0));
    limit_ = std::min(limit_, due);
}

void Agenda::file(AgendaItem& item)
{
    const std::uint64_t bucket = item.due >> bucket_bits;
    if (bucket <= open_bucket_) {
        insert_open(item);
    } else if (bucket - open_bucket_ < buckets) {
        const std::size_t slot = bucket & (buckets - 1);
        item.next = wheel_[slot];
        wheel_[slot] = &item;
        occupied_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
    } else {
        far_.push_back({item.due, ++far_sequence_, &item});
        std::push_heap(far_.begin(), far_.end(), later);
    }
}

void Agenda::insert_open(AgendaItem& item)
{
    const Entry entry{item.due, item.order, ++sequence_, &item};
    open_.push_back(entry);
    std::size_t i = open_.size() - 1;
    while (i > cursor_ && entry < open_[i - 1]) {
        open_[i] = open_[i - 1];
        --i;
    }
    open_[i] = entry;
}

// Moves the items of one bucket into the open list, in the order in which they were scheduled.
void Agenda::collect(std::size_t slot)
{
    AgendaItem* item = wheel_[slot];
    wheel_[slot] = nullptr;
    occupied_[slot >> 6] &= ~(std::uint64_t{1} << (slot & 63));
    std::size_t count = 0;
    for (; item != nullptr; item = item->next, ++count) open_.push_back({item->due, item->order, 0, item});
    // The bucket is a stack: number its items from the bottom.
    const std::size_t first = open_.size() - count;
    for (std::size_t i = 0; i < count; ++i) open_[open_.size() - 1 - i].sequence = sequence_ + 1 + i;
    sequence_ += static_cast<std::uint32_t>(count);
    if (count == 1) return;
    if (count > 24) {
        std::sort(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end());
        return;
    }
    for (std::size_t i = first + 1; i < open_.size(); ++i) {
        const Entry entry = open_[i];
        std::size_t j = i;
        for (; j > first && entry < open_[j - 1]; --j) open_[j] = open_[j - 1];
        open_[j] = entry;
    }
}

// Opens the earliest bucket that holds anything. False when there is none.
bool Agenda::open_next()
{
    open_.clear();
    cursor_ = 0;
    sequence_ = 0;
    std::uint64_t bucket = ~std::uint64_t{0};
    // The wheel: circular search from the slot after the open one.
    const std::size_t start = (open_bucket_ + 1) & (buckets - 1);
    for (std::size_t step = 0, word = start >> 6; step <= occupied_.size(); ++step) {
        std::uint64_t bits = occupied_[word];
        if (step == 0) bits &= ~std::uint64_t{0} << (start & 63);
        if (bits != 0) {
            const std::size_t slot = (word << 6) + static_cast<std::size_t>(__builtin_ctzll(bits));
            bucket = open_bucket_ + 1 + ((slot - start) & (buckets - 1));
            break;
        }
        if (++word == occupied_.size()) word = 0;
    }
    if (!far_.empty()) bucket = std::min(bucket, far_.front().due >> bucket_bits);
    if (bucket == ~std::uint64_t{0}) return false;

    open_bucket_ = bucket;
    // Far items that the wheel now spans come down; those of the open bucket go straight to the list.
    while (!far_.empty() && (far_.front().due >> bucket_bits) < bucket + buckets) {
        std::pop_heap(far_.begin(), far_.end(), later);
        AgendaItem* item = far_.back().item;
        far_.pop_back();
        if ((item->due >> bucket_bits) == bucket) {
            const std::size_t slot = bucket & (buckets - 1);
            item->next = wheel_[slot];
            wheel_[slot] = item;
        } else {
            file(*item);
        }
    }
    collect(bucket & (buckets - 1));
    return true;
}

Time Agenda::next_due()
{
    if (cursor_ == open_.size() && !open_next()) return ~Time{0};
    return open_[cursor_].due;
}

void Agenda::drain(Time kernel_now, Time limit)
{
    running_ = true;
    limit_ = limit;
    for (;;) {
        if (cursor_ == open_.size() && !open_next()) break;
        const Entry entry = open_[cursor_];
        if ((entry.due >= limit_ && entry.due > kernel_now) || entry.due > end_) break;
        now_ = entry.due;
        ++cursor_;
        --pending_;
        if (cursor_ < open_.size()) __builtin_prefetch(open_[cursor_].item);
        Station* station = entry.item->owner;
        entry.item->scheduled = false;
        station->run(*entry.item);
        if (station->settle_requested_ &&
            (cursor_ == open_.size() || open_[cursor_].due != entry.due ||
                open_[cursor_].item->owner != station)) {
            station->settle_requested_ = false;
            station->settle();
        }
        if ((++items_run_ & watch_mask) == 0 && watch_ && !watch_(now_)) stopped_ = true;
        if (stopped_) break;
    }
    running_ = false;
}

void Agenda::wake()
{
    notified_ = ~Time{0};
    if (stopped_) return;
    const Time kernel_now = to_ps(sc_core::sc_time_stamp());
    now_ = kernel_now;
    // Others have work at this very instant: run what is due now, leave the future to the next round.
    Time limit = kernel_now;
    if (!sc_core::sc_pending_activity_at_current_time()) {
        const Time foreign = to_ps(sc_core::sc_time_to_pending_activity());
        limit = foreign > ~Time{0} - kernel_now ? ~Time{0} : kernel_now + foreign;
    }
    drain(kernel_now, limit);
    if (stopped_) {
        sc_core::sc_stop();
        return;
    }
    notify_self();
}

void Agenda::notify_self()
{
    const Time due = next_due();
    if (due == ~Time{0} || due > end_) return;
    const Time kernel = to_ps(sc_core::sc_time_stamp());
    notified_ = due;
    event_.notify(to_sc_time(due > kernel ? due - kernel : 0));
}

}  // namespace weft
