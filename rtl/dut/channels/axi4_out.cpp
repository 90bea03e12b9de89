// Out of the block: a slave that takes requests, and answers when the fabric has.
#include <fmt/format.h>

#include "rtl/dut/channels/axi4.h"
#include "rtl/dut/channels/axi4_burst.h"

namespace weft {

namespace {

constexpr unsigned slave_error_response = 2;

class Taken : public LineSink {
public:
    Taken(std::shared_ptr<Axi4Port> port, bool reads, unsigned channels)
        : port_(std::move(port)), from_(reads ? port_->pins.ar : port_->pins.aw), all_((1U << channels) - 1),
          reads_(reads)
    {
    }

    // An address is taken when there is room for its line; its data come after it.
    void drive(unsigned room) override
    {
        room_ = room == all_;
        from_.ready.set(room_ && !held_ ? 1 : 0);
        if (!reads_) port_->pins.wready.set(held_ ? 1 : 0);
    }
    Sample sample(LineOnPins& line) override
    {
        if (!steady_.look(from_.valid.get() != 0, room_ && !held_, from_.user)) fail("an address changes before ready");
        if (!reads_ && !data_steady_.look(port_->pins.wvalid.get() != 0, held_, port_->pins.wdata))
            fail("write data change before ready");
        if (!held_) {
            if (from_.valid.get() == 0 || !room_) return {};
            begin();
            if (!reads_) {
                held_ = true;
                return {true, false};
            }
            line.bits = bits_;
            return {true, true};
        }
        Axi4Pins& pins = port_->pins;
        if (pins.wvalid.get() == 0) return {};
        burst_.take(beat_, pins.wdata);
        if (pins.wstrb.get() != burst_.strobe(beat_))
            fail(fmt::format("wstrb of beat {}: expected {:#x}, got {:#x}", beat_ + 1, burst_.strobe(beat_),
                pins.wstrb.get()));
        const bool end = ++beat_ == burst_.beats();
        if ((pins.wlast.get() != 0) != end)
            fail(fmt::format("beat {} of {} with wlast = {}", beat_, burst_.beats(), pins.wlast.get()));
        if (!end) return {true, false};
        held_ = false;
        burst_.read(bits_);
        line.bits = bits_;
        if ((bits_.flags() & LineHeader::posted_flag) != 0) port_->posted.push_back({id_, bits_});
        return {true, true};
    }
    void accepted(const void* line) override
    {
        if ((bits_.flags() & LineHeader::posted_flag) == 0) port_->ids[line] = id_;
    }

private:
    void begin()
    {
        Pin bits(bits_.bytes, beat_bits);
        std::memset(bits_.data(), 0, line_bytes);
        copy_bits(from_.user.pin, from_.user.at, bits, 0, reads_ ? 2 * header_bits : header_bits);
        id_ = from_.id.get();
        burst_ = Axi4Burst(bits_, port_->pins.wdata.width);
        beat_ = 0;
        const std::uint64_t mask = (std::uint64_t{1} << port_->pins.port_at) - 1;
        if ((from_.addr.get() & mask) != burst_.address())
            fail(fmt::format("address: expected {:#x}, got {:#x}", burst_.address(), from_.addr.get() & mask));
        if (from_.len.get() + 1 != burst_.beats())
            fail(fmt::format("len: expected {}, got {}", burst_.beats() - 1, from_.len.get()));
        const unsigned size = axi4_log2(port_->pins.wdata.width / 8);
        if (from_.size && from_.size.get() != size)
            fail(fmt::format("size: expected {}, got {}", size, from_.size.get()));
        if (from_.burst && from_.burst.get() != axi4_incr)
            fail(fmt::format("burst: expected {} (INCR), got {}", axi4_incr, from_.burst.get()));
    }

    std::shared_ptr<Axi4Port> port_;
    Axi4Address& from_;
    unsigned all_;
    bool reads_;
    bool room_ = false;
    bool held_ = false;
    Steady steady_;
    Steady data_steady_;
    std::uint64_t id_ = 0;
    LineBits bits_{};
    Axi4Burst burst_;
    unsigned beat_ = 0;
};

class Replies : public LineSource {
public:
    explicit Replies(std::shared_ptr<Axi4Port> port) : port_(std::move(port)) {}

    bool takes(unsigned /*channel*/) const override { return !busy(); }
    void begin(const LineOnPins& line) override
    {
        const auto id = port_->ids.find(line.line);
        if (id == port_->ids.end()) {
            fail("a response to a request that did not come from this port");
            return;
        }
        show(id->second, line.bits);
        port_->ids.erase(id);
    }
    void drive() override
    {
        if (!busy() && !port_->posted.empty()) {
            show(port_->posted.front().id, port_->posted.front().bits);
            port_->posted.pop_front();
            own_ = true;
        }
        port_->pins.b.valid.set(to_ == &port_->pins.b ? 1 : 0);
        port_->pins.r.valid.set(to_ == &port_->pins.r ? 1 : 0);
        if (to_ != &port_->pins.r) return;
        burst_.put(beat_, to_->data);
        to_->last.set(beat_ + 1 == burst_.beats() ? 1 : 0);
    }
    Sample sample() override
    {
        if (!busy() || to_->ready.get() == 0) return {};
        if (to_ == &port_->pins.r && ++beat_ < burst_.beats()) return {true, false};
        const bool own = own_;
        to_ = nullptr;
        own_ = false;
        return {true, !own};
    }
    bool busy() const override { return to_ != nullptr; }
    bool settled() const override { return port_->posted.empty(); }
    unsigned beats(const LineBits& header) const override
    {
        return axi4_writes(header) ? 1 : Axi4Burst(header, port_->pins.r.data.width).beats();
    }
    unsigned beat_bytes() const override { return port_->pins.r.data.width / 8; }

private:
    void show(std::uint64_t id, const LineBits& bits)
    {
        to_ = axi4_writes(bits) ? &port_->pins.b : &port_->pins.r;
        to_->id.set(id);
        to_->resp.set(bits.failed() ? slave_error_response : 0);
        const Pin all(const_cast<std::uint8_t*>(bits.bytes), beat_bits);
        copy_bits(all, 0, to_->user.pin, to_->user.at, header_bits);
        burst_ = Axi4Burst(bits, port_->pins.wdata.width);
        burst_.fill(bits);
        beat_ = 0;
    }

    std::shared_ptr<Axi4Port> port_;
    Axi4Answer* to_ = nullptr;
    bool own_ = false;  // to a posted write: no line of the fabric
    Axi4Burst burst_;
    unsigned beat_ = 0;
};

}  // namespace

std::unique_ptr<LineSink> make_axi4_taken(std::shared_ptr<Axi4Port> port, bool reads, unsigned channels)
{
    return std::make_unique<Taken>(std::move(port), reads, channels);
}

std::unique_ptr<LineSource> make_axi4_replies(std::shared_ptr<Axi4Port> port)
{
    return std::make_unique<Replies>(std::move(port));
}

}  // namespace weft
