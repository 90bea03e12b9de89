// The interface of any L2 slice model to a GPU and the reports: our L2Slice, or a clocked block
// behind pins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/divider.h"
#include "base/parameter_block.h"
#include "base/statistic.h"
#include "sc_models/l2/cache_contents.h"
#include "sc_models/l2/l2_spec.h"
#include "sc_models/memory/memory_image.h"
#include "tlm_interconnect/kernel/rate_servers.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

// Which slice of `slices` holds line number `line` of a GPU's memory, and its number there: groups of
// `slices` consecutive lines, one to each slice, rotated from group to group so that strides spread.
struct SlicePlace {
    std::uint32_t slice;
    std::uint64_t number;
};
inline SlicePlace slice_place(std::uint64_t line, const Divider& slices)
{
    const std::uint64_t group = slices.quotient(line);
    const std::uint32_t count = slices.divisor();
    const auto within = static_cast<std::uint32_t>(line - group * count);
    const std::uint32_t mixed = static_cast<std::uint32_t>(group) * 0x9e3779b1U;
    const auto rotation = static_cast<std::uint32_t>(std::uint64_t{mixed} * count >> 32);
    const std::uint32_t slice = within + rotation;
    return {slice >= count ? slice - count : slice, group};
}

// The same where a tag stands for 2^sector_shift lines: those stay together.
inline SlicePlace slice_place(std::uint64_t line, const Divider& slices, unsigned sector_shift)
{
    SlicePlace place = slice_place(line >> sector_shift, slices);
    place.number = place.number << sector_shift | (line & ((1U << sector_shift) - 1));
    return place;
}

// Inverse of slice_place(): the line of the GPU's memory that is number `number` in slice `slice`.
inline std::uint64_t line_of_place(std::uint64_t number, std::uint32_t slice, const Divider& slices)
{
    const std::uint32_t count = slices.divisor();
    const std::uint32_t rotation = slice_place(number * count, slices).slice;
    return number * count + (slice >= rotation ? slice - rotation : slice + count - rotation);
}

class SliceModel : public StatisticsProvider {
public:
    // Requests come in by target_of(p); misses and write-backs leave by memory_of(p).
    virtual LineTargetSocket& target_of(unsigned partition) = 0;
    virtual LineInitiatorSocket& memory_of(unsigned partition) = 0;
    virtual unsigned partitions() const = 0;
    // Requests take a place at an input of their partition when they arrive, `header` bytes and their data; `rate` in
    // bytes per second, 0: no limit. Before time starts.
    virtual void set_input_rate(std::uint64_t rate, std::uint32_t header) = 0;
    virtual RateServers& inputs() = 0;
    virtual std::uint64_t hops() const = 0;  // lines handed on to memory, to another partition and back to who asked

    // What waits did here, of any GPU: looks, those that were held, wake-ups by a change.
    struct FlagCounts {
        std::uint64_t reads = 0;
        std::uint64_t waiters = 0;
        std::uint64_t wakes = 0;
    };
    virtual FlagCounts flag_counts() const = 0;

    // What the slice itself found to be wrong, and what in it cannot go on; one line each.
    virtual std::vector<std::string> problems() const { return {}; }
    virtual std::vector<std::string> blocked() const { return {}; }
    // A run has ended by itself: holds what memory contains against what it should. Takes no simulated time.
    virtual void check_contents() {}
};

// What makes the slices of a GPU: slice `index` of spec.slices.
struct SliceRequest {
    std::string module_name;  // unique within the GPU
    std::string path;         // full name, for reports
    const L2Spec& spec;
    unsigned index;
    MemoryImage& image;
    LinePool& pool;
    std::uint32_t endpoint;
    ContentsFactory make_contents = nullptr;  // of a slice with l2.contents = cached; null: CacheContents
    ParameterSet parameters{};                // of its GPU, with the block of the model itself
};
using SliceFactory = std::function<std::unique_ptr<SliceModel>(EventQueue&, const SliceRequest&)>;

// An element of an array of slices, of one model (sc_vector) or of any.
inline const SliceModel& slice_in(const SliceModel& slice) { return slice; }
inline const SliceModel& slice_in(const std::unique_ptr<SliceModel>& slice) { return *slice; }

// Statistics of slices as one cache.
template <class Slices>
std::vector<Statistic> summed_statistics(const Slices& slices)
{
    std::vector<Statistic> sum;
    for (const auto& element : slices) {
        const std::vector<Statistic> part = slice_in(element).statistics();
        if (sum.empty()) {
            sum = part;
        } else {
            for (std::size_t i = 0; i < part.size(); ++i) sum[i].value += part[i].value;
        }
    }
    return sum;
}

}  // namespace weft
