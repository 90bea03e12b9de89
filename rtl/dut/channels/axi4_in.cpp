// Into the block: a master that asks, and takes the answers.
#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/dut/channels/axi4.h"
#include "rtl/dut/channels/axi4_burst.h"

namespace weft {

namespace {

constexpr unsigned slave_error = 2;

class Requests : public LineSource {
public:
    explicit Requests(std::shared_ptr<Axi4Port> port) : port_(std::move(port))
    {
        port_->writes.resize(std::size_t{1} << std::min(port_->pins.aw.id.width, 10U));
        port_->reads.resize(std::size_t{1} << std::min(port_->pins.ar.id.width, 10U));
    }

    bool takes(unsigned /*channel*/) const override
    {
        return !busy() && free_of(port_->writes) >= 0 && free_of(port_->reads) >= 0;
    }
    void begin(const LineOnPins& line) override
    {
        Axi4Pins& pins = port_->pins;
        const bool writes = axi4_writes(line.bits);
        std::vector<Axi4Port::Outstanding>& table = writes ? port_->writes : port_->reads;
        const auto id = static_cast<std::size_t>(free_of(table));
        table[id] = {true, (line.bits.flags() & LineHeader::posted_flag) != 0};
        burst_ = Axi4Burst(line.bits, pins.wdata.width);
        burst_.fill(line.bits);
        if (pins.port_at < 48 && burst_.address() >> pins.port_at != 0)
            throw InputError("", 0, fmt::format("address {:#x} in {} bits", burst_.address(), pins.port_at),
                "a map with port_at above it");
        Axi4Address& to = writes ? pins.aw : pins.ar;
        to.id.set(id);
        to.addr.set(burst_.address() | std::uint64_t{line.dest} << pins.port_at);
        to.len.set(burst_.beats() - 1);
        to.size.set(axi4_log2(pins.wdata.width / 8));
        to.burst.set(axi4_incr);
        const Pin bits(const_cast<std::uint8_t*>(line.bits.bytes), beat_bits);
        copy_bits(bits, 0, to.user.pin, to.user.at, writes ? header_bits : 2 * header_bits);
        asking_ = &to;
        beats_ = writes ? burst_.beats() : 0;
        beat_ = 0;
    }
    void drive() override
    {
        Axi4Pins& pins = port_->pins;
        pins.aw.valid.set(asking_ == &pins.aw ? 1 : 0);
        pins.ar.valid.set(asking_ == &pins.ar ? 1 : 0);
        pins.wvalid.set(beat_ < beats_ ? 1 : 0);
        if (beat_ >= beats_) return;
        burst_.put(beat_, pins.wdata);
        pins.wstrb.set(burst_.strobe(beat_));
        pins.wlast.set(beat_ + 1 == beats_ ? 1 : 0);
    }
    Sample sample() override
    {
        if (!busy()) return {};
        Sample out;
        if (asking_ != nullptr && asking_->ready.get() != 0) {
            asking_ = nullptr;
            out.moved = true;
        }
        if (beat_ < beats_ && port_->pins.wready.get() != 0) {
            ++beat_;
            out.moved = true;
        }
        out.done = !busy();
        return out;
    }
    bool busy() const override { return asking_ != nullptr || beat_ < beats_; }
    std::string unsettled(const std::vector<std::string>& /*names*/) const override
    {
        std::string out;
        for (const auto& [table, channel] : {std::pair{&port_->writes, "B"}, std::pair{&port_->reads, "R"}})
            if (const auto count = waiting(*table); count > 0)
                out += fmt::format("{}{} IDs wait for their response on {}: the block holds it or lost it",
                    out.empty() ? "" : "; ", count, channel);
        return out;
    }
    unsigned beats(const LineBits& header) const override
    {
        return axi4_writes(header) ? Axi4Burst(header, port_->pins.wdata.width).beats() : 1;
    }
    unsigned beat_bytes() const override { return port_->pins.wdata.width / 8; }

private:
    static std::ptrdiff_t waiting(const std::vector<Axi4Port::Outstanding>& table)
    {
        return std::count_if(table.begin(), table.end(), [](const Axi4Port::Outstanding& entry) { return entry.busy; });
    }
    static int free_of(const std::vector<Axi4Port::Outstanding>& table)
    {
        for (std::size_t i = 0; i < table.size(); ++i)
            if (!table[i].busy) return static_cast<int>(i);
        return -1;
    }

    std::shared_ptr<Axi4Port> port_;
    Axi4Burst burst_;
    Axi4Address* asking_ = nullptr;
    unsigned beats_ = 0;
    unsigned beat_ = 0;
};

class Answers : public LineSink {
public:
    Answers(std::shared_ptr<Axi4Port> port, bool reads)
        : port_(std::move(port)), from_(reads ? port_->pins.r : port_->pins.b),
          table_(reads ? port_->reads : port_->writes), reads_(reads)
    {
    }

    void drive(unsigned room) override
    {
        ready_ = (room & (room + 1)) == 0 && room != 0;
        from_.ready.set(ready_ ? 1 : 0);
    }
    Sample sample(LineOnPins& line) override
    {
        if (!steady_.look(from_.valid.get() != 0, ready_, from_.user)) fail("a response changes before ready");
        if (from_.valid.get() == 0 || !ready_) return {};
        const std::uint64_t id = from_.id.get();
        if (id >= table_.size() || !table_[id].busy) {
            fail(fmt::format("a response with ID {}, for which no request waits", id));
            return {true, false};
        }
        Pin bits(line.bits.bytes, beat_bits);
        copy_bits(from_.user.pin, from_.user.at, bits, 0, header_bits);
        const bool failed = from_.resp.get() == slave_error;
        if (failed != line.bits.failed() && !table_[id].posted) fail(fmt::format("resp is {}", from_.resp.get()));
        std::memset(line.bits.data(), 0, line_bytes);
        if (reads_ && !take(line.bits)) return {true, false};
        const bool posted = table_[id].posted;
        table_[id] = {};
        return {true, !posted};
    }

private:
    bool take(LineBits& bits)
    {
        if (beat_ == 0) burst_ = Axi4Burst(bits, from_.data.width);
        burst_.take(beat_, from_.data);
        const bool end = ++beat_ == burst_.beats();
        if ((from_.last.get() != 0) != end)
            fail(fmt::format("beat {} of {} with rlast = {}", beat_, burst_.beats(), from_.last.get()));
        if (!end) return false;
        beat_ = 0;
        burst_.read(bits);
        return true;
    }

    std::shared_ptr<Axi4Port> port_;
    Axi4Answer& from_;
    std::vector<Axi4Port::Outstanding>& table_;
    bool reads_;
    bool ready_ = false;
    Steady steady_;
    Axi4Burst burst_;
    unsigned beat_ = 0;
};

}  // namespace

std::unique_ptr<LineSource> make_axi4_requests(std::shared_ptr<Axi4Port> port)
{
    return std::make_unique<Requests>(std::move(port));
}

std::unique_ptr<LineSink> make_axi4_answers(std::shared_ptr<Axi4Port> port, bool reads)
{
    return std::make_unique<Answers>(std::move(port), reads);
}

}  // namespace weft
