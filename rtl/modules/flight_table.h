// Lines inside a block, by the tag that their bits carry: the scoreboard of a module around a block.
//
// Every line that went in comes out once, with the same bits, where it should, and in the order in which lines of its
// input, output and channel went in. What breaks that is told in words.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rtl/common/line_bits.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

class FlightTable {
public:
    struct Flight {
        Line* line = nullptr;
        LineBits bits;
        std::array<std::uint8_t, header_bits / 8> before{};  // header of the line that had this tag last
        std::uint32_t turn = 0;                              // within its stream
        std::uint32_t next_free = 0;
        Time entered = 0;
        std::uint8_t input = 0;
        std::uint8_t output = 0;
        std::uint8_t channel = 0;
        LineClass cls = LineClass::request;
    };

    // `output`: what a port is called where lines come out.
    FlightTable(unsigned ports, unsigned channels, const char* output = "output");

    // A place for a line that goes in; its tag.
    std::uint32_t enter(Line& line, LineClass cls, unsigned input, unsigned output, unsigned channel, Time now);
    // The line that `bits` at `output` and `channel` are; null: `problem` says what is wrong with them.
    Flight* leave(const LineBits& bits, unsigned output, unsigned channel, std::string& problem);
    void free(std::uint32_t tag);

    bool live(std::uint32_t tag) const { return tag < flights_.size() && flights_[tag].line != nullptr; }
    Flight& at(std::uint32_t tag) { return flights_[tag]; }
    std::uint32_t inside() const { return inside_; }
    std::vector<const Flight*> all() const;

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::size_t stream(const Flight& flight) const
    {
        return (std::size_t{flight.input} * ports_ + flight.output) * channels_ + flight.channel;
    }

    unsigned ports_;
    unsigned channels_;
    const char* output_;
    std::vector<Flight> flights_;
    std::uint32_t first_free_ = none;
    std::uint32_t inside_ = 0;
    struct Stream {
        std::uint32_t entered = 0;
        std::uint32_t left = 0;
    };
    std::vector<Stream> streams_;
};

}  // namespace weft
