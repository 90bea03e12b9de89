// What launched workgroups and must know when they end.
#pragma once

#include <cstdint>

namespace weft {

class WorkgroupListener {
public:
    virtual ~WorkgroupListener() = default;
    virtual void on_workgroup_done(std::uint64_t token) = 0;
};

}  // namespace weft
