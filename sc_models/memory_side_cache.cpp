#include "sc_models/memory_side_cache.h"

namespace weft {

MemorySideCache::MemorySideCache(sc_core::sc_module_name name, EventQueue& event_queue, const std::string& path,
    const MemorySideSpec& spec, unsigned channels, unsigned requesters, bool with_direct, MemoryImage& image,
    LinePool& pool, std::uint32_t endpoint, Checkers* checkers, bool hold_contents)
    : sc_module(name), spec_(spec), endpoint_(endpoint), sector_shift_(spec.as_cache(channels).sector_shift()),
      channels_(channels), slices_("slices"),
      to_slices_("to_slice", channels, socket_creator<LineInitiatorSocket>(*this)),
      targets_("target", requesters, socket_creator<LineTargetSocket>(*this))
{
    L2Spec cache = spec.as_cache(channels);
    cache.contents = hold_contents ? ContentsPolicy::cached : ContentsPolicy::flat;
    // A slice is named by its number alone, as in paths.
    slices_.init(channels, [&](const char*, std::size_t c) {
        const std::string number = std::to_string(c);
        return new L2Slice(number.c_str(), event_queue, path + "." + number, cache, static_cast<unsigned>(c), image,
            pool, endpoint);
    });
    for (unsigned c = 0; c < channels; ++c) {
        if (checkers != nullptr) {
            checkers->bind(to_slices_[c], slices_[c].target);
        } else {
            to_slices_[c].bind(slices_[c].target);
        }
    }
    if (with_direct) direct_ = std::make_unique<LineTargetSocket>("direct", *this, requesters);
}

unsigned MemorySideCache::slice_of(const Line& line) const
{
    return slice_place(local_of(line.address) / line_bytes, channels_, sector_shift_).slice;
}

Time MemorySideCache::on_request(unsigned requester, Line& line, Time delay)
{
    line.push_port(static_cast<std::uint16_t>(requester));
    to_slices_[slice_of(line)].send_request(line, delay + hop(line));
    return 0;
}

Time MemorySideCache::on_response(unsigned, Line& line, Time delay)
{
    const unsigned requester = line.pop_port();
    LineTargetSocket& back = requester == targets_.size() ? *direct_ : targets_[requester];
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

unsigned MemorySideCache::debug(unsigned, Line& line) { return to_slices_[slice_of(line)].debug(line); }

std::uint64_t MemorySideCache::hops() const
{
    std::uint64_t total = direct_ ? direct_->responses() : 0;
    for (const LineInitiatorSocket& socket : to_slices_) total += socket.requests();
    for (const L2Slice& slice : slices_) total += slice.hops();
    for (const LineTargetSocket& socket : targets_) total += socket.responses();
    return total;
}

void MemorySideCache::reset_statistics()
{
    for (L2Slice& slice : slices_) slice.reset_statistics();
}

}  // namespace weft
