#include "rtl/link/reference_link_endpoint.h"

#include "rtl/link/bit_turn.h"

namespace weft {

ReferenceLinkEndpoint::ReferenceLinkEndpoint(const LinkParams& params)
    : params_((params.check(), params)), crc_(params.crc_poly),
      mask_(static_cast<std::uint16_t>((1U << params.seq_bits) - 1)), packets_(params.replay)
{
    ReferenceLinkEndpoint::reset();
}

void ReferenceLinkEndpoint::reset()
{
    now_ = 0;
    idle_ = true;
    counts_ = {};
    first_ = held_ = sent_ = begun_ = 0;
    base_ = expected_ = 0;
    out_flit_ = out_flits_ = in_flits_ = 0;
    wire_valid_ = in_packet_ = rx_valid_ = false;
    went_back_ = again_ = again_seen_ = false;
    used_ = 0;
    for (unsigned v = 0; v < params_.vcs; ++v) used_ |= static_cast<std::uint8_t>((params_.credits[v] != 0) << v);
    open_ = used_;
    credit_ = params_.credits;
    seen_ = freed_ = told_ = {};
    ask_ = waiting_ = nak_ = answer_ = named_ = false;
    ask_vc_ = ask_turn_ = named_vc_ = credit_turn_ = untold_ = 0;
    owed_ = owed_packets_ = 0;
    asks_ = expires_ = patience_ = 0;
}

void ReferenceLinkEndpoint::cycle(const LinkIn& in, LinkOut& out)
{
    out.tx_ready = held_ < params_.replay ? open_ : 0;
    out.wire_valid = wire_valid_;
    out.rx_valid = rx_valid_;
    if (wire_valid_) out.wire = wire_;
    if (rx_valid_) show(out);
    const bool sending = out_flit_ != out_flits_;
    const std::uint8_t starved = used_ & static_cast<std::uint8_t>(~open_);
    idle_ = held_ == 0 && owed_ == 0 && starved == 0 && !sending && !wire_valid_ && !nak_ && !answer_ && !named_ &&
        !ask_ && !in.tx_valid && !in.wire_valid && in.rx_credit == 0;
    out.idle = idle_;
    if (idle_) return;

    // From here on the state of the next clock; what leaves was decided before anything came in.
    const bool owing = owed_ != 0;
    const unsigned begun = begun_;
    const bool started = !sending && choose();
    wire_valid_ = sending || started;
    if (wire_valid_) emit();
    if (started || !owing) patience_ = now_ + 1 + params_.hold;
    if (starved != 0 && now_ == asks_) {
        ask_ = true;
        ask_vc_ = first_from(starved, ask_turn_);
        ask_turn_ = ask_vc_ + 1;
    }
    if (starved == 0 || now_ == asks_) asks_ = now_ + 1 + params_.timeout;

    rx_valid_ = false;
    const bool news = in.wire_valid && hear(in.wire);
    unsigned gone = 0;
    if (news) {
        if (heard_.tells_ack()) {
            const unsigned covered = (heard_.ack - base_) & mask_;
            if (covered <= begun) gone = covered;
        }
        if (heard_.tells_credit()) told(heard_.credit_vc, heard_.credit);
    }
    const bool back = (begun != 0 && now_ == expires_) || (news && heard_.nak) || gone > sent_;
    counts_.gone_back += back && begun_ > gone;
    first_ = slot(gone);
    base_ = (base_ + gone) & mask_;
    held_ -= gone;
    begun_ -= gone;
    sent_ = back ? 0 : sent_ - gone;
    went_back_ |= back;
    if (begun == 0 || gone != 0 || back) expires_ = now_ + 1 + params_.timeout;

    for (unsigned left = in.rx_credit & ((1U << params_.vcs) - 1); left != 0; left &= left - 1) {
        const unsigned v = first_from(left, 0);
        ++freed_[v];
        ++owed_;
        untold_ |= static_cast<std::uint8_t>(1U << v);
    }
    if (line_taken(in, out)) take(in);
    ++now_;
}

// A packet begins, if there is one worth it.
bool ReferenceLinkEndpoint::choose()
{
    if (!ask_ && !nak_ && sent_ < held_) {
        const Packet& packet = packets_[slot(sent_)];
        LinkWord word;
        word.vc = packet.vc;
        word.seq = (base_ + sent_) & mask_;
        again_ ^= went_back_;
        went_back_ = false;
        std::memcpy(outgoing_, packet.bytes, packet.flits * params_.flit_bytes);
        out_flits_ = packet.flits;
        begin(word);
        counts_.packets += 1;
        counts_.repeated += sent_ < begun_;
        ++sent_;
        begun_ = std::max(begun_, sent_);
        return true;
    }
    if (!ask_ && !nak_ && !answer_ && !named_ && owed_ < params_.batch && (owed_ == 0 || now_ < patience_))
        return false;
    LinkWord word;
    word.control = true;
    word.ask = ask_;
    word.vc = ask_vc_;
    std::memset(outgoing_, 0, params_.flit_bytes);
    out_flits_ = 1;
    begin(word);
    ask_ = false;
    counts_.control += 1;
    return true;
}

// The packet in outgoing_ gets its link word, which tells what is owed, and its CRC.
void ReferenceLinkEndpoint::begin(LinkWord& word)
{
    word.again = again_ && !word.control;
    if (word.tells_ack()) {
        word.ack = expected_;
        word.nak = nak_;
        owed_ -= owed_packets_;
        owed_packets_ = 0;
        nak_ = answer_ = false;
    }
    if (word.tells_credit()) {
        const std::uint8_t v = named_ ? named_vc_ : untold_ != 0 ? first_from(untold_, credit_turn_) : credit_turn_;
        word.credit_vc = v;
        word.credit = freed_[v] & link_credit_mask;
        owed_ -= (freed_[v] - told_[v]) & link_credit_mask;
        told_[v] = freed_[v];
        untold_ &= static_cast<std::uint8_t>(~(1U << v));
        credit_turn_ = v + 1U == params_.vcs ? 0 : (v + 1) & 7;
        named_ = false;
    }
    word.write(outgoing_);
    const unsigned covered = out_flits_ * params_.flit_bytes - link_crc_bytes;
    const std::uint32_t crc = crc_.of(outgoing_, covered);
    std::memcpy(outgoing_ + covered, &crc, sizeof crc);
    out_flit_ = 0;
}

void ReferenceLinkEndpoint::emit()
{
    std::memcpy(wire_.bytes, outgoing_ + out_flit_ * params_.flit_bytes, params_.flit_bytes);
    wire_.head = out_flit_ == 0;
    ++out_flit_;
    wire_.tail = out_flit_ == out_flits_;
}

// True: a whole packet is in heard_ and incoming_. A line among them comes out in the next clock.
bool ReferenceLinkEndpoint::hear(const WireFlit& flit)
{
    const unsigned longest = (link_overhead_bytes + 64 + params_.flit_bytes - 1) / params_.flit_bytes;
    if (flit.head == in_packet_) missed();
    if (!flit.head && !in_packet_) return false;
    if (flit.head) in_flits_ = 0;
    in_packet_ = false;
    if (in_flits_ == longest) {
        missed();
        return false;
    }
    std::memcpy(incoming_ + in_flits_ * params_.flit_bytes, flit.bytes, params_.flit_bytes);
    ++in_flits_;
    in_packet_ = !flit.tail;
    if (in_packet_) return false;

    const unsigned covered = in_flits_ * params_.flit_bytes - link_crc_bytes;
    std::uint32_t crc;
    std::memcpy(&crc, incoming_ + covered, sizeof crc);
    if (crc_.of(incoming_, covered) != crc) {
        missed();
        return false;
    }
    heard_ = LinkWord::read(incoming_);
    if (heard_.control) {
        if (heard_.ask) {
            named_ = true;
            named_vc_ = heard_.vc;
        }
        return true;
    }
    const unsigned ahead = (heard_.seq - expected_) & mask_;
    const bool again = heard_.again != again_seen_;
    again_seen_ = heard_.again;
    if (ahead == 0) {
        expected_ = (expected_ + 1) & mask_;
        waiting_ = nak_ = false;
        ++owed_;
        ++owed_packets_;
        rx_valid_ = true;
    } else if (ahead > mask_ / 2U) {
        answer_ = true;
    } else {
        missed(again);
    }
    return true;
}

// A request goes out once for every gap, and every time that the far end has gone back in vain.
void ReferenceLinkEndpoint::missed(bool again)
{
    if (waiting_ && !again) return;
    waiting_ = nak_ = true;
    ++counts_.gaps;
}

void ReferenceLinkEndpoint::told(unsigned vc, std::uint16_t credit)
{
    if (vc >= params_.vcs) return;
    credit_[vc] = (credit_[vc] + (credit - seen_[vc])) & link_credit_mask;
    seen_[vc] = credit;
    if (credit_[vc] != 0) open_ |= static_cast<std::uint8_t>(1U << vc);
}

void ReferenceLinkEndpoint::show(LinkOut& out) const
{
    LineBits& line = out.rx_line;
    std::memcpy(line.bytes, incoming_ + link_word_bytes, line_header_bytes);
    const unsigned payload = link_payload_bytes(line);
    std::memcpy(line.data(), incoming_ + link_word_bytes + line_header_bytes, payload);
    std::memset(line.data() + payload, 0, 64 - payload);
    out.rx_vc = heard_.vc;
}

void ReferenceLinkEndpoint::take(const LinkIn& in)
{
    Packet& packet = packets_[slot(held_)];
    const unsigned bytes = line_header_bytes + link_payload_bytes(in.tx_line);
    packet.flits = static_cast<std::uint8_t>(link_flits(in.tx_line, params_.flit_bytes));
    std::memcpy(packet.bytes + link_word_bytes, in.tx_line.bytes, bytes);
    std::memset(packet.bytes + link_word_bytes + bytes, 0, packet.flits * params_.flit_bytes - link_word_bytes - bytes);
    packet.vc = in.tx_vc;
    ++held_;
    if (--credit_[in.tx_vc] == 0) open_ &= static_cast<std::uint8_t>(~(1U << in.tx_vc));
}

}  // namespace weft
