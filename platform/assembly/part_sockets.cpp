#include "platform/assembly/part_sockets.h"

#include <map>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

void require_sockets(const std::string& gpu, const std::string& model, SliceModel& slice, const SliceRequest& request)
{
    const unsigned wanted = request.spec.mirrored() ? 2 : 1;
    const unsigned had = slice.partitions();
    if (had != wanted)
        throw InputError("", 0,
            wanted == 2 ? fmt::format("{}: l2.model {} has slices of {} partition{}, and l2.partitions = 2, which are "
                                      "mirrored in each slice",
                              gpu, model, had, had == 1 ? "" : "s")
                        : fmt::format("{}: l2.model {} has slices of {} partitions, and l2 has no mirrored ones", gpu,
                              model, had),
            wanted == 2 ? "l2.partitions = 1, or SliceModel::partitions() of 2"
                        : "l2.partitions = 2, or SliceModel::partitions() of 1");
    if (wanted == 2 && (&slice.target_of(0) == &slice.target_of(1) || &slice.memory_of(0) == &slice.memory_of(1)))
        throw InputError("", 0, fmt::format("{}: l2.model {} has the same socket for both partitions", gpu, model),
            "a target_of(p) and a memory_of(p) of its own for each");
}

void require_sockets(const std::string& gpu, const std::string& model, MemoryModel& memory,
    const MemoryRequest& request)
{
    std::map<const LineTargetSocket*, unsigned> taken;
    for (unsigned slice = 0; slice < request.slices; ++slice)
        if (const auto [entry, fresh] = taken.emplace(&memory.target(slice), slice); !fresh)
            throw InputError("", 0,
                fmt::format("{}: hbm.model {} has the same socket for slices {} and {}, of {} in front of it", gpu,
                    model, entry->second, slice, request.slices),
                "a target(s) of its own for each slice");
}

}  // namespace weft
