// A link whose inside is a user's block of RTL behind a port map (role: link). One instance of the block has both ends:
// what goes in at port 0 comes out at port 1, and the other way round.
//
// Sockets, and credits between the modules at its ends: as Link (link.h). The module that sends holds a slot of the buffer
// behind the far end, so whatever comes out has room there: the block always sees ready. So many lines are in front of an
// end, inside and behind as there are slots.
//
// Timing, with edges of a clock at multiples of its period:
//   arrival, rounded up to an edge of the stream's clock   first clock in which the line is on the pins of its end, if these
//                                                          are free; channels take turns
//   clock in which the last beat comes out                 the line is at the module behind the far end
// What arrives at an edge because of what came out in it is on the pins at the next.
// The block's clocks are its time and its rate: link.bandwidth, link.flit, link.header, packets, frames and retry do not count.
// link.latency counts for credits alone, which do not go through the block: the sender learns of a free slot after it.
// The sender is told that the wire is taken for the beats of its line, one a clock; of a block with a stream for each class, until
// one of them is free. What the block takes later waits in front of its end.
//
// A line that is traced (latency_breakdown.h) was on the wire until its last beat had gone in, and in flight until the
// last came out.
//
// Statistics, per direction: as Link. Bytes on the wire are beats as wide as `data`, counted as the line has gone in;
// busy is a clock for each of them, the mean of the streams. Lines and payload count when they have come out. clocks: edges at
// which the block was evaluated.
//
// Limits: no bit errors (link.bit_error_rate): the block has its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rtl/dut/dut_module.h"
#include "tlm_interconnect/link/link_shell.h"

namespace weft {

class DutLink final : public LinkShell<DutLink, DutModule> {
public:
    // Throws InputError for a block that cannot be a link of this kind.
    DutLink(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LinkSpec& spec, PortMap map,
        std::vector<std::string> files, WaveWindow wave = {}, std::uint64_t seed = 1);

    Direction direction(unsigned end) const override;
    std::vector<std::string> unsettled() override { return DutModule::unsettled(); }
    std::vector<std::string> blocked() const override { return waiting_lines(); }
    std::vector<std::string> problems() const override { return errors(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    friend LinkShell<DutLink, DutModule>;

    Time credit_time(unsigned /*end*/, const Line& /*line*/, Time delay) { return delay + spec().latency; }
    Time take(unsigned end, Line& line, LineClass cls, Time delay);

    unsigned output_of(unsigned input, Line& /*line*/, LineClass /*cls*/) override { return 1 - input; }
    void has_entered(std::size_t source, Line& line, LineClass cls) override;
    void has_left(std::size_t sink, Line& line, LineClass cls, unsigned channel, Time now) override;
    unsigned room(unsigned /*output*/) const override { return (1U << channel_count()) - 1; }
    unsigned beats(std::size_t source, const Line& line, LineClass cls) const;

    std::vector<Time> taken_until_;  // by source, as the sender was told
    Direction count_[2];             // busy: of all streams together
};

}  // namespace weft
