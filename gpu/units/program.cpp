#include "gpu/units/program.h"

#include <algorithm>
#include <string>

#include "base/diagnostic.h"

namespace weft {

const char* name_of(Scope scope)
{
    switch (scope) {
    case Scope::unit: return "unit";
    case Scope::device: return "device";
    case Scope::system: return "system";
    }
    return "?";
}

namespace {

void require_operands(std::size_t of_a_kind)
{
    if (of_a_kind > Program::max_sources)
        throw InputError("", 0, "a move of " + std::to_string(of_a_kind) + " sources or destinations",
            "at most " + std::to_string(Program::max_sources));
}

Operation& append(Program& program, Operation::Kind kind, std::uint32_t label)
{
    program.operations.emplace_back();
    program.operations.back().kind = kind;
    program.operations.back().label = label;
    return program.operations.back();
}

// Whether `next` goes on where the run of `first` ends; sets its stride with its second member.
bool continues(Operation& first, const Operation& next)
{
    if (first.kind != next.kind || first.scope != next.scope || first.value != next.value || next.repeats != 0)
        return false;
    if (next.label != first.label + first.repeats + 1) return false;
    const std::uint64_t stride = next.address - first.address_of(first.repeats);
    if (first.repeats > 0 && stride != first.stride) return false;
    first.stride = stride;
    ++first.repeats;
    return true;
}

}  // namespace

void Program::compact()
{
    std::size_t kept = 0;
    for (const Operation& operation : operations) {
        const bool word = operation.kind == Operation::Kind::signal || operation.kind == Operation::Kind::wait;
        if (word && kept > 0 && continues(operations[kept - 1], operation)) continue;
        operations[kept++] = operation;
    }
    operations.resize(kept);
    operations.shrink_to_fit();
    operands.shrink_to_fit();
    in_packets.shrink_to_fit();
}

void Program::add_move(const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& destinations,
    std::uint64_t bytes, ElementType type, ReduceOp reduction, std::uint32_t label, bool with_previous)
{
    require_operands(std::max(sources.size(), destinations.size()));
    if (bytes == 0 || (sources.empty() && destinations.empty())) return;
    const bool follows = with_previous && !operations.empty() && operations.back().kind == Operation::Kind::move;
    Operation& operation = append(*this, Operation::Kind::move, label);
    operation.type = type;
    operation.reduction = reduction;
    operation.with_previous = follows;
    most_sources = std::max(most_sources, static_cast<std::uint32_t>(sources.size()));
    operation.first_operand = static_cast<std::uint32_t>(operands.size());
    operation.sources = static_cast<std::uint16_t>(sources.size());
    operation.destinations = static_cast<std::uint16_t>(destinations.size());
    operation.bytes = bytes;
    operands.insert(operands.end(), sources.begin(), sources.end());
    operands.insert(operands.end(), destinations.begin(), destinations.end());
}

void Program::add_packet_move(const std::vector<MoveOperand>& sources, const std::vector<MoveOperand>& destinations,
    std::uint64_t bytes, ElementType type, ReduceOp reduction, std::uint32_t label, bool with_previous)
{
    std::vector<std::uint64_t> addresses[2];
    std::vector<bool> marks;
    for (const MoveOperand& operand : sources) addresses[0].push_back(operand.address);
    for (const MoveOperand& operand : destinations) addresses[1].push_back(operand.address);
    for (const std::vector<MoveOperand>* side : {&sources, &destinations})
        for (const MoveOperand& operand : *side) marks.push_back(operand.packets);
    const std::size_t first = operands.size();
    add_move(addresses[0], addresses[1], bytes, type, reduction, label, with_previous);
    if (operands.size() == first) return;
    in_packets.resize(first, false);
    in_packets.insert(in_packets.end(), marks.begin(), marks.end());
}

void Program::add_push(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes, ElementType type,
    ReduceOp reduction, std::uint32_t label, bool with_previous)
{
    if (bytes == 0) return;
    add_move({source}, {destination}, bytes, type, reduction, label, with_previous);
    operations.back().pushes = true;
}

void Program::add_bulk(std::uint64_t source, const std::vector<std::uint64_t>& destinations, std::uint64_t bytes,
    std::uint32_t label)
{
    require_operands(destinations.size());
    if (bytes == 0) return;
    Operation& operation = append(*this, Operation::Kind::bulk, label);
    operation.first_operand = static_cast<std::uint32_t>(operands.size());
    operation.sources = 1;
    operation.destinations = static_cast<std::uint16_t>(destinations.size());
    operation.bytes = bytes;
    operands.push_back(source);
    operands.insert(operands.end(), destinations.begin(), destinations.end());
}

void Program::add_bulk_wait(std::uint32_t label) { append(*this, Operation::Kind::bulk_wait, label); }

void Program::add_request(std::uint64_t operations, Scope scope, std::uint32_t label)
{
    Operation& operation = append(*this, Operation::Kind::request, label);
    operation.value = operations;
    operation.scope = scope;
}

void Program::add_barrier(std::uint32_t label) { append(*this, Operation::Kind::barrier, label); }

void Program::add_fence(Scope scope, std::uint32_t label)
{
    append(*this, Operation::Kind::fence, label).scope = scope;
}

void Program::add_signal(std::uint64_t flag, std::uint32_t label, Scope scope)
{
    Operation& operation = append(*this, Operation::Kind::signal, label);
    operation.address = flag;
    operation.scope = scope;
}

void Program::add_wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label)
{
    Operation& operation = append(*this, Operation::Kind::wait, label);
    operation.address = flag;
    operation.value = value;
}

void Program::add_load(std::uint64_t address, std::uint32_t result, Scope scope, std::uint32_t label)
{
    Operation& operation = append(*this, Operation::Kind::load, label);
    operation.address = address;
    operation.result = result;
    operation.scope = scope;
}

void Program::add_chase(std::uint64_t address, std::uint64_t loads, Scope scope, std::uint32_t label)
{
    if (loads == 0) return;
    Operation& operation = append(*this, Operation::Kind::chase, label);
    operation.address = address;
    operation.value = loads;
    operation.scope = scope;
}

void Program::add_store(std::uint64_t address, std::uint64_t value, Scope scope, std::uint32_t label)
{
    Operation& operation = append(*this, Operation::Kind::store, label);
    operation.address = address;
    operation.value = value;
    operation.scope = scope;
}

void Program::add_atomic(AtomicOp op, std::uint64_t address, std::uint64_t value, std::uint32_t label,
    std::uint64_t compare)
{
    Operation& operation = append(*this, Operation::Kind::atomic, label);
    operation.atomic = op;
    operation.address = address;
    operation.value = value;
    operation.compare = compare;
}

void Program::add_fetch(AtomicOp op, std::uint64_t address, std::uint64_t value, std::uint32_t result,
    std::uint32_t label, std::uint64_t compare)
{
    add_atomic(op, address, value, label, compare);
    operations.back().returns = true;
    operations.back().result = result;
}

void Program::add_compute(std::uint64_t ps, std::uint32_t label)
{
    append(*this, Operation::Kind::compute, label).value = ps;
}

void Program::add_flops(std::uint64_t count, std::uint32_t label)
{
    append(*this, Operation::Kind::flops, label).value = count;
}

}  // namespace weft
