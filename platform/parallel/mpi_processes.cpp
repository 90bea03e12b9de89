// The module of processes over MPI: a shared library beside the program, which loads it when mpirun or srun has started it.
//
// All calls come from the thread that opened it. Plain C interface of MPI, so any implementation of version 3 will do. Errors of MPI
// end all processes with MPI's own message (MPI_ERRORS_ARE_FATAL, the default).
#include <mpi.h>

#include <climits>
#include <cstdio>
#include <stdexcept>

#include "platform/parallel/processes.h"

namespace weft {

namespace {

int length_of(std::size_t bytes)
{
    if (bytes > INT_MAX) throw std::length_error("a message between processes is larger than 2 GiB");
    return static_cast<int>(bytes);
}

void add_pulses(void* in, void* inout, int* count, MPI_Datatype*)
{
    for (int i = 0; i < *count; ++i) static_cast<Pulse*>(inout)[i].add(static_cast<const Pulse*>(in)[i]);
}

class MpiProcesses final : public Processes {
public:
    MpiProcesses()
    {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
        // Of our own: nothing that a library sends can be taken for ours.
        MPI_Comm_dup(MPI_COMM_WORLD, &all_);
        MPI_Comm_rank(all_, &rank_);
        MPI_Comm_size(all_, &size_);
        MPI_Comm machine = MPI_COMM_NULL;
        MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
        MPI_Comm_size(machine, &on_machine_);
        MPI_Comm_free(&machine);
        int* bound = nullptr;
        int found = 0;
        MPI_Comm_get_attr(all_, MPI_TAG_UB, &bound, &found);
        most_tag_ = found != 0 ? *bound : 32767;
        MPI_Type_contiguous(sizeof(Pulse), MPI_BYTE, &pulse_);
        MPI_Type_commit(&pulse_);
        MPI_Op_create(add_pulses, 1, &add_);
    }
    ~MpiProcesses() override
    {
        MPI_Op_free(&add_);
        MPI_Type_free(&pulse_);
        MPI_Comm_free(&all_);
        MPI_Finalize();
    }

    std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }
    std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
    std::uint32_t on_this_machine() const override { return static_cast<std::uint32_t>(on_machine_); }
    std::uint32_t most_tag() const override { return static_cast<std::uint32_t>(most_tag_); }

    void exchange(const std::vector<Message>& out, const std::vector<Message>& in) override
    {
        sends_.clear();
        for (const Message& message : out)
            MPI_Isend(message.bytes->data(), length_of(message.bytes->size()), MPI_BYTE,
                static_cast<int>(message.process), static_cast<int>(message.tag), all_, &sends_.emplace_back());
        for (const Message& message : in) {
            MPI_Message there = MPI_MESSAGE_NULL;
            MPI_Status status;
            MPI_Mprobe(static_cast<int>(message.process), static_cast<int>(message.tag), all_, &there, &status);
            int bytes = 0;
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            message.bytes->clear();
            MPI_Mrecv(message.bytes->add(static_cast<std::size_t>(bytes)), bytes, MPI_BYTE, &there, MPI_STATUS_IGNORE);
        }
        MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    }

    Pulse agree(const Pulse& own) override
    {
        Pulse all;
        MPI_Allreduce(&own, &all, 1, pulse_, add_, all_);
        return all;
    }

    std::vector<Bytes> share(const Bytes& own) override
    {
        const Lengths lengths = lengths_of(own);
        Bytes flat(lengths.total);
        MPI_Allgatherv(own.data(), length_of(own.size()), MPI_BYTE, flat.data(), lengths.sizes.data(),
            lengths.begins.data(), MPI_BYTE, all_);
        return apart(flat, lengths);
    }

    std::vector<Bytes> collect(const Bytes& own) override
    {
        const Lengths lengths = lengths_of(own);
        Bytes flat(rank_ == 0 ? lengths.total : 0);
        MPI_Gatherv(own.data(), length_of(own.size()), MPI_BYTE, flat.data(), lengths.sizes.data(),
            lengths.begins.data(), MPI_BYTE, 0, all_);
        return rank_ == 0 ? apart(flat, lengths) : std::vector<Bytes>();
    }

    [[noreturn]] void abort(int code) override
    {
        MPI_Abort(all_, code);
        std::abort();
    }

private:
    struct Lengths {
        std::vector<int> sizes;
        std::vector<int> begins;
        std::size_t total = 0;
    };

    Lengths lengths_of(const Bytes& own) const
    {
        Lengths out;
        out.sizes.resize(static_cast<std::size_t>(size_));
        const int size = length_of(own.size());
        MPI_Allgather(&size, 1, MPI_INT, out.sizes.data(), 1, MPI_INT, all_);
        for (const int each : out.sizes) {
            out.begins.push_back(length_of(out.total));
            out.total += static_cast<std::size_t>(each);
        }
        return out;
    }
    static std::vector<Bytes> apart(const Bytes& flat, const Lengths& lengths)
    {
        std::vector<Bytes> out;
        for (std::size_t i = 0; i < lengths.sizes.size(); ++i)
            out.emplace_back(flat.data() + lengths.begins[i], static_cast<std::size_t>(lengths.sizes[i]));
        return out;
    }

    MPI_Comm all_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int on_machine_ = 1;
    int most_tag_ = 0;
    MPI_Datatype pulse_ = MPI_DATATYPE_NULL;
    MPI_Op add_ = MPI_OP_NULL;
    std::vector<MPI_Request> sends_;
};

Processes* open_processes() { return new MpiProcesses; }

}  // namespace

extern "C" __attribute__((visibility("default")))
const ProcessesModule weft_processes_module = {processes_interface, open_processes, "MPI"};

}  // namespace weft
