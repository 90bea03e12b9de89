#include "gpu/units/compute_unit.h"

#include "gpu/units/unit_scheduler.h"

namespace weft {

ComputeUnit::ComputeUnit(std::uint32_t number, const GpuSpec& spec)
    : number_(number), in_flight_(spec.outstanding), coalesce_(spec.coalesce), issue_(spec.clock),
      free_(spec.wavefronts_per_unit >= max_wavefronts ? ~std::uint64_t{0}
                                                       : (std::uint64_t{1} << spec.wavefronts_per_unit) - 1),
      places_(static_cast<std::uint32_t>(spec.workgroups_per_unit))
{
    wake_.kind = static_cast<std::uint8_t>(UnitItem::unit);
}

std::uint32_t ComputeUnit::take_place()
{
    const auto place = static_cast<std::uint32_t>(__builtin_ctzll(~taken_));
    taken_ |= std::uint64_t{1} << place;
    ++resident_;
    return place;
}

Wavefront& ComputeUnit::take_context()
{
    const auto context = static_cast<std::uint32_t>(__builtin_ctzll(free_));
    free_ &= free_ - 1;
    Wavefront& wave = waves_.make(context);
    wave.context = static_cast<std::uint8_t>(context);
    return wave;
}

void ComputeUnit::release(std::uint32_t place, std::uint64_t contexts)
{
    free_ |= contexts;
    taken_ &= ~(std::uint64_t{1} << place);
    --resident_;
}

}  // namespace weft
