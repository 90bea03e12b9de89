#include "gpu/program.h"

#include <algorithm>
#include <stdexcept>

namespace weft {

void Program::add_move(const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& destinations,
    std::uint64_t bytes, ElementType type, ReduceOp reduction, std::uint32_t label, bool with_previous)
{
    if (sources.size() > max_sources || destinations.size() > max_sources)
        throw std::length_error("a move of more than 255 sources or destinations");
    if (bytes == 0 || (sources.empty() && destinations.empty())) return;
    Operation operation;
    operation.kind = Operation::Kind::move;
    operation.type = type;
    operation.reduction = reduction;
    operation.with_previous = with_previous && !operations.empty() && operations.back().kind == Operation::Kind::move;
    most_sources = std::max(most_sources, static_cast<std::uint32_t>(sources.size()));
    operation.first_operand = static_cast<std::uint32_t>(operands.size());
    operation.sources = static_cast<std::uint16_t>(sources.size());
    operation.destinations = static_cast<std::uint16_t>(destinations.size());
    operation.bytes = bytes;
    operation.label = label;
    operands.insert(operands.end(), sources.begin(), sources.end());
    operands.insert(operands.end(), destinations.begin(), destinations.end());
    operations.push_back(operation);
}

void Program::add_signal(std::uint64_t flag, std::uint32_t label)
{
    Operation operation;
    operation.kind = Operation::Kind::signal;
    operation.address = flag;
    operation.label = label;
    operations.push_back(operation);
}

void Program::add_wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label)
{
    Operation operation;
    operation.kind = Operation::Kind::wait;
    operation.address = flag;
    operation.value = value;
    operation.label = label;
    operations.push_back(operation);
}

void Program::add_compute(std::uint64_t ps, std::uint32_t label)
{
    Operation operation;
    operation.kind = Operation::Kind::compute;
    operation.value = ps;
    operation.label = label;
    operations.push_back(operation);
}

}  // namespace weft
