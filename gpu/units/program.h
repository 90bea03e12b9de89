// A wavefront program: what the wavefronts of one workgroup do, as operations over address ranges that are
// cut into lines as they issue.
//
// Every wavefront goes through the operations in order, by itself. The instructions of a move are dealt out to
// the wavefronts in turn; a barrier holds each until all have come; everything else is done by
// wavefront zero, and the others pass it by. So what all depend on is followed by a barrier, and what
// depends on all is preceded by one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/element.h"
#include "base/packet_format.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Whom an ordering must hold for: the workgroups of the same unit, of the same GPU, of any GPU.
enum class Scope : std::uint8_t { unit, device, system };
const char* name_of(Scope scope);

struct Operation {
    enum class Kind : std::uint8_t {
        // Loads every source, reduces them in the order listed, stores to every destination. At the address of a group
        // (first_group in line.h) switches do it for all members: a load is the combination of what they hold, a store
        // goes to all of them, or with `pushes` is this GPU's contribution to what is combined and stored at all.
        move,
        barrier,  // all wavefronts of the workgroup
        fence,  // until earlier loads of words, and the workgroup's stores and atomics that `scope` sees, are performed
        signal,     // a fence of `scope`, then an addition of 1 to the flag at `address`
        wait,       // until the flag at `address` is at least `value`; later loads see what its signals published
        load,       // of the word at `address` into `result`; goes on at once
        chase,      // `value` loads, each of the word whose address the one before it found; the first at `address`
        store,      // of `value` to the word at `address`; goes on at once
        atomic,     // `atomic` on the word at `address`, which was `result`; goes on at once
        bulk,       // a move of one source that the unit's bulk copy engine does; goes on at once
        bulk_wait,  // until the workgroup's bulk copies are performed
        request,  // a fence of `scope`, then the proxy is asked for `value` more operations of the workgroup's list; goes on at once
        compute,  // busy for `value` ps
        flops     // `value` floating-point operations of the unit, which its workgroups share
    };

    // A large system has a hundred million operations: fields that no kind has together share their room.
    Kind kind = Kind::move;
    ElementType type : 4;
    ReduceOp reduction : 4;
    Scope scope : 2;
    AtomicOp atomic : 3;
    bool returns : 1;                // atomic: the word as it was is answered
    bool pushes : 1;                 // a move whose stores to groups are contributions
    bool with_previous : 1;          // a move that may issue before the loads of the move before it are there
    std::uint8_t turn = 0;           // a move: the wavefront that has its first instruction, modulo their number
    std::uint16_t sources = 0;       // 0: zeros are stored
    std::uint16_t destinations = 0;  // 0: loaded data are dropped
    union {
        std::uint32_t first_operand = 0;  // move, bulk: into Program::operands: sources, then destinations
        std::uint32_t result;             // load, atomic: index in what the launch keeps of results
        std::uint32_t repeats;            // signal, wait: so many more of them follow (Program::compact())
    };
    std::uint32_t label = 0;  // of whoever made the program, for reports
    union {
        std::uint64_t bytes = 0;  // move, bulk: of every operand
        std::uint64_t compare;    // compare and swap: what the word must be
        std::uint64_t stride;     // signal, wait with repeats: from one address to the next, modulo 2^64
    };
    std::uint64_t address = 0;
    std::uint64_t value = 0;  // atomic: its operand

    Operation()
        : type(ElementType::u8), reduction(ReduceOp::sum), scope(Scope::system), atomic(AtomicOp::add), returns(false),
          pushes(false), with_previous(false)
    {
    }

    // Signals or waits that this operation stands for, beside the first.
    std::uint32_t more() const { return kind == Kind::signal || kind == Kind::wait ? repeats : 0; }
    std::uint64_t address_of(std::uint32_t repeat) const { return repeat == 0 ? address : address + repeat * stride; }
    std::uint32_t label_of(std::uint32_t repeat) const { return label + repeat; }
};

// An operand of a move, in memory as it is or as packets of the program's format: then `address` is where its first
// packet lies, a multiple of 64.
struct MoveOperand {
    std::uint64_t address = 0;
    bool packets = false;
};

struct Program {
    std::vector<Operation> operations;
    std::vector<std::uint64_t> operands;  // global addresses
    // With packets, a load of them comes back when all are there, and an instruction covers fewer bytes, of every operand.
    PacketFormat format = PacketFormat::none;
    std::vector<bool> in_packets;  // by operand; empty without a format

    std::uint32_t most_sources = 1;  // of any move

    static constexpr unsigned max_sources = 1024;  // and destinations, of a move

    void add_move(const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& destinations,
        std::uint64_t bytes, ElementType type, ReduceOp reduction, std::uint32_t label = 0, bool with_previous = false);
    // Needs a format.
    void add_packet_move(const std::vector<MoveOperand>& sources, const std::vector<MoveOperand>& destinations,
        std::uint64_t bytes, ElementType type, ReduceOp reduction, std::uint32_t label = 0, bool with_previous = false);
    // The own contribution to what is combined at the address of a group.
    void add_push(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes, ElementType type,
        ReduceOp reduction, std::uint32_t label = 0, bool with_previous = false);
    // Without destinations the data come to the unit, and that is all.
    void add_bulk(std::uint64_t source, const std::vector<std::uint64_t>& destinations, std::uint64_t bytes,
        std::uint32_t label = 0);
    void add_bulk_wait(std::uint32_t label = 0);
    void add_request(std::uint64_t operations, Scope scope, std::uint32_t label = 0);
    void add_barrier(std::uint32_t label = 0);
    void add_fence(Scope scope, std::uint32_t label = 0);
    void add_signal(std::uint64_t flag, std::uint32_t label = 0, Scope scope = Scope::system);
    void add_wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label = 0);
    void add_load(std::uint64_t address, std::uint32_t result, Scope scope = Scope::system, std::uint32_t label = 0);
    void add_chase(std::uint64_t address, std::uint64_t loads, Scope scope, std::uint32_t label = 0);
    void add_store(std::uint64_t address, std::uint64_t value, Scope scope = Scope::system, std::uint32_t label = 0);
    void add_atomic(AtomicOp op, std::uint64_t address, std::uint64_t value, std::uint32_t label = 0,
        std::uint64_t compare = 0);
    void add_fetch(AtomicOp op, std::uint64_t address, std::uint64_t value, std::uint32_t result,
        std::uint32_t label = 0, std::uint64_t compare = 0);
    void add_compute(std::uint64_t ps, std::uint32_t label = 0);
    void add_flops(std::uint64_t count, std::uint32_t label = 0);

    // Gives back spare room, and makes one operation of every run of signals or waits with a constant difference of their
    // addresses and labels that ascend by one: between ranks that all meet each other nearly everything is such a run. Wavefronts
    // do the same with it. Not for lists of copy engines, whose operations are counted. Last of all.
    void compact();
    // The memory of its arrays.
    std::size_t memory_bytes() const
    {
        return operations.capacity() * sizeof(Operation) + operands.capacity() * sizeof(operands[0]) +
            in_packets.capacity() / 8;
    }
};

}  // namespace weft
