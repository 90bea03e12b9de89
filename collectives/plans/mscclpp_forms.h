// The operations of an MSCCL++ plan that move or combine data, and where the operands of each lie.
#pragma once

#include <string>

#include "collectives/plans/mscclpp_gpu.h"

namespace weft {

// `sources` and `destinations` list operands in their order. l: one in the own memory, r: one of another rank, g: one of
// the group of a switch channel; as capitals one or more of them.
struct MscclppForm {
    const char* name;
    const char* sources;
    const char* destinations;
    bool pairwise = false;  // source k goes to destination k
    bool in_switch() const;
};

// Null for other names.
const MscclppForm* mscclpp_form(const std::string& name);

// All names, each with ", " in front.
std::string mscclpp_form_names();

// Throws InputError for an operation whose operands its name does not allow.
void check_operands(const JsonValue& op, const MscclppForm& form, const MscclppFields& fields);

}  // namespace weft
