// Reference model of weft_link_endpoint: the same pins in every clock.
//
// Timing, in clocks:
//   transmit  a line that is taken in c is in the replay buffer; the wire is free: its first flit leaves in c + 2
//   wire      a packet of n flits takes n clocks; the next follows without a gap
//   receive   a line comes out in the clock after its last flit came in
//   news      acknowledges, credits and requests of a packet count from the clock after its last flit on
//   control   what is owed in clock c, and no packet to tell it: on the wire in c + 1
//   timeout   goes back `timeout` clocks after the oldest packet became the oldest and was sent
//
// Packets are kept as bytes; in a clock in which nothing goes on, none is touched.
#pragma once

#include <vector>

#include "rtl/link/link_crc.h"
#include "rtl/link/link_packet.h"
#include "rtl/link/link_pins.h"

namespace weft {

class ReferenceLinkEndpoint : public LinkEndpoint {
public:
    // Throws InputError for parameters that there is no block for.
    explicit ReferenceLinkEndpoint(const LinkParams& params);

    void reset() override;
    void cycle(const LinkIn& in, LinkOut& out) override;
    bool idle() const override { return idle_; }

    // Since reset. Packets of lines sent, those sent again among them; control packets; times gone back.
    struct Counts {
        std::uint64_t packets = 0;
        std::uint64_t repeated = 0;
        std::uint64_t control = 0;
        std::uint64_t gone_back = 0;
        std::uint64_t gaps = 0;  // seen by the receiver: each as often as it is told
    };
    const Counts& counts() const { return counts_; }

private:
    struct Packet {
        std::uint8_t bytes[link_packet_bytes];  // link word and CRC are written when it is sent
        std::uint8_t vc;
        std::uint8_t flits;
    };
    void take(const LinkIn& in);
    bool choose();
    void begin(LinkWord& word);
    void emit();
    bool hear(const WireFlit& flit);
    void missed(bool again = false);
    void told(unsigned vc, std::uint16_t credit);
    void show(LinkOut& out) const;
    unsigned slot(unsigned ahead) const { return (first_ + ahead) % params_.replay; }

    LinkParams params_;
    LinkCrc crc_;
    std::uint16_t mask_;  // of packet numbers
    std::uint64_t now_ = 0;
    bool idle_ = true;
    Counts counts_;

    // Replay buffer: a ring.
    std::vector<Packet> packets_;
    unsigned first_ = 0;
    unsigned held_ = 0;
    unsigned sent_ = 0;   // since the last going back
    unsigned begun_ = 0;  // ever
    std::uint16_t base_ = 0;
    std::uint64_t expires_ = 0;
    bool went_back_ = false;  // since the last packet began
    bool again_ = false;

    // The packet on the wire.
    std::uint8_t outgoing_[link_packet_bytes];
    unsigned out_flit_ = 0;
    unsigned out_flits_ = 0;
    bool wire_valid_ = false;  // the flit that is shown in the next clock
    WireFlit wire_;

    // What the far end can take.
    std::array<std::uint16_t, LinkParams::max_vcs> credit_ = {};
    std::array<std::uint16_t, LinkParams::max_vcs> seen_ = {};
    std::uint8_t open_ = 0;
    std::uint8_t used_ = 0;
    std::uint64_t asks_ = 0;  // when, while a channel is starved
    bool ask_ = false;
    std::uint8_t ask_vc_ = 0;
    std::uint8_t ask_turn_ = 0;

    // The packet that comes in.
    std::uint8_t incoming_[link_packet_bytes + WireFlit::max_bytes];
    unsigned in_flits_ = 0;
    bool in_packet_ = false;
    bool again_seen_ = false;
    std::uint16_t expected_ = 0;
    LinkWord heard_;
    bool rx_valid_ = false;  // incoming_ begins with a line to be shown in the next clock

    // What the far end is to be told.
    std::array<std::uint16_t, LinkParams::max_vcs> freed_ = {};
    std::array<std::uint16_t, LinkParams::max_vcs> told_ = {};
    std::uint8_t untold_ = 0;  // channels
    unsigned owed_ = 0;        // packets and slots
    unsigned owed_packets_ = 0;
    std::uint64_t patience_ = 0;  // when the oldest of them is worth a packet
    bool waiting_ = false;        // for a packet that did not come
    bool nak_ = false;
    bool answer_ = false;
    bool named_ = false;
    std::uint8_t named_vc_ = 0;
    std::uint8_t credit_turn_ = 0;
};

}  // namespace weft
