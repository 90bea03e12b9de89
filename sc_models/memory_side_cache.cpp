#include "sc_models/memory_side_cache.h"

namespace weft {

MemorySideCache::MemorySideCache(sc_core::sc_module_name name, EventQueue& event_queue, const std::string& path,
    const MemorySideSpec& spec, unsigned channels, unsigned requesters, bool with_direct, MemoryImage& image,
    LinePool& pool, std::uint32_t endpoint, Checkers* checkers, bool hold_contents)
    : sc_module(name), spec_(spec), endpoint_(endpoint), sector_shift_(spec.as_cache(channels).sector_shift()),
      channels_(channels)
{
    L2Spec cache = spec.as_cache(channels);
    cache.contents = hold_contents ? ContentsPolicy::cached : ContentsPolicy::flat;
    for (unsigned c = 0; c < channels; ++c) {
        const std::string number = std::to_string(c);
        slices_.push_back(std::make_unique<L2Slice>(number.c_str(), event_queue, path + "." + number, cache, c, image,
            pool, endpoint));
        to_slices_.push_back(std::make_unique<LineInitiatorSocket>(("to_slice" + number).c_str(), *this, c));
        if (checkers != nullptr) {
            checkers->bind(*to_slices_[c], slices_[c]->target);
        } else {
            to_slices_[c]->bind(slices_[c]->target);
        }
    }
    for (unsigned r = 0; r < requesters; ++r)
        targets_.push_back(std::make_unique<LineTargetSocket>(("target" + std::to_string(r)).c_str(), *this, r));
    if (with_direct) direct_ = std::make_unique<LineTargetSocket>("direct", *this, requesters);
}

unsigned MemorySideCache::slice_of(const Line& line) const
{
    return slice_place(local_of(line.address) / line_bytes, channels_, sector_shift_).slice;
}

Time MemorySideCache::on_request(unsigned requester, Line& line, Time delay)
{
    line.push_port(static_cast<std::uint16_t>(requester));
    to_slices_[slice_of(line)]->send_request(line, delay + hop(line));
    return 0;
}

Time MemorySideCache::on_response(unsigned, Line& line, Time delay)
{
    const unsigned requester = line.pop_port();
    LineTargetSocket& back = requester == targets_.size() ? *direct_ : *targets_[requester];
    back.send_response(line, delay + hop(line));
    return 0;
}

void MemorySideCache::on_request_credit(unsigned, Line& line, Time delay)
{
    // The crossbar passes credits on to a fabric port; an L2 slice counts none.
    if (line.source == endpoint_) return;
    const std::uint16_t requester = line.pop_port();
    direct_->return_request_credit(line, delay);
    line.push_port(requester);
}

unsigned MemorySideCache::debug(unsigned, Line& line) { return to_slices_[slice_of(line)]->debug(line); }

std::uint64_t MemorySideCache::hops() const
{
    std::uint64_t total = direct_ ? direct_->responses() : 0;
    for (const auto& socket : to_slices_) total += socket->requests();
    for (const auto& slice : slices_) total += slice->hops();
    for (const auto& socket : targets_) total += socket->responses();
    return total;
}

void MemorySideCache::reset_statistics()
{
    for (const auto& slice : slices_) slice->reset_statistics();
}

}  // namespace weft
