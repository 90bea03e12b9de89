#include "sc_models/memory/hbm_map.h"

#include <algorithm>

#include "base/line_size.h"

namespace weft {

namespace {

Divider divider(std::uint64_t count) { return Divider(static_cast<std::uint32_t>(count)); }

}  // namespace

HbmMap::HbmMap(const HbmSpec& spec, unsigned slices, unsigned sector_shift)
    : slices_(slices), sector_shift_(sector_shift), channels_(static_cast<std::uint32_t>(spec.channels)),
      sharing_(slices >= channels_ ? (slices + channels_ - 1) / channels_ : 0),
      owned_(std::max(1U, channels_ / slices)), groups_(divider(spec.bank_groups)),
      row_lines_(divider(std::max<std::uint64_t>(1, spec.row / line_bytes))), banks_(divider(spec.banks))
{
}

}  // namespace weft
