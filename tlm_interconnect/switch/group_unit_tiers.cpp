// Pushes at the leaf of a group over two tiers: the combination of the members goes up, the result comes down.
#include <cstring>

#include <fmt/format.h>

#include "tlm_interconnect/switch/group_unit.h"

namespace weft {

// The newest context is the first of a chain; results come in the order in which combinations went up.
std::uint32_t GroupUnit::find_raised(std::uint64_t address)
{
    std::uint32_t found = none;
    for (std::uint32_t index = bucket(address); index != none; index = contexts_[index].chain)
        if (contexts_[index].address == address && contexts_[index].stage == Stage::raised) found = index;
    return found;
}

// The combination of the own members goes to the spine as the contribution of the first of them.
void GroupUnit::raise(std::uint32_t index, const std::uint8_t* data)
{
    Context& context = contexts_[index];
    Line& line = make_request(index, LineOp::reduce, context.address, groups_[context.group].members.front());
    std::memcpy(line.data(), data, context.size);
    context.stage = Stage::raised;
    context.unsent = context.pending = 1;
    ++raised_;
    host_.group_request(line, context.input);
    park(context);
}

void GroupUnit::park(Context& context)
{
    const std::size_t members = groups_[context.group].members.size();
    if (parked_ + members > places_) return;
    parked_ += members;
    context.parked = true;
    --from_members().taken;
    retry_next(from_members());
}

void GroupUnit::take_result(Line& line, unsigned input)
{
    const std::uint32_t index = find_raised(line.address);
    if (index == none) {
        SC_REPORT_FATAL("/weft/group",
            fmt::format("{}: a result comes for {:#x} of group {:#x}, to which this switch has not contributed", path_,
                local_of(line.address), line.destination)
                .c_str());
        return;
    }
    unlink(index);  // a further result is of the next round
    Context& context = contexts_[index];
    context.stage = Stage::writes;
    context.original = &line;
    context.input = input;
    context.pending = static_cast<unsigned>(groups_[context.group].members.size());
    send_copies(index, LineOp::write, line.data());
}

// Whose operand the answer to a read is: that of the leaf behind the port, or of the member that was read.
unsigned GroupUnit::operand_of(const GroupTier& group, const Line& line, unsigned input) const
{
    if (!group.spine()) return member_of(group, line.destination);
    unsigned leaf = 0;
    while (!group.leads_to(leaf, input)) ++leaf;
    return leaf;
}

}  // namespace weft
