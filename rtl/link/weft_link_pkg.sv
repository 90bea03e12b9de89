// What goes over the wire of a link, beside lines.
//
// A flit is FLIT_BYTES bytes and two tags: it begins a packet (head), it ends one (tail). A packet, lowest byte first:
//   4      link word
//   16     header of the line             ] a control packet has neither
//   0..64  payload, as many as the operation and its size say ]
//   .      zeros up to whole flits
//   4      CRC of all that
package weft_link_pkg;
    import weft_line_pkg::*;

    localparam int unsigned NUMBER_BITS = 12;  // of packets, at most
    localparam int unsigned CREDIT_BITS = 12;

    // Lowest field last. `ack`: the packet that is expected next, all before it have come. `credit`: slots of a channel
    // that have become free, ever, modulo 4096. A packet with an even number tells an ack, one with an odd number a
    // credit; a control packet tells both, but for the ack if it asks.
    typedef struct packed {
        logic [11:0] told;  // even number: ack; odd number, control: credit of channel told_vc
        logic [2:0] told_vc;
        logic again;        // changes with the first packet after the sender has gone back; control: 0
        logic [11:0] seq;   // number of this packet; control: ack, or the channel that is asked for
        logic [2:0] vc;     // control: bit 0 asks for the credits of a channel, bit 1: go back to packet `seq`
        logic control;
    } link_word_t;

    localparam int unsigned WORD_BITS = 32;
    localparam int unsigned HEADER_BITS = 128;
    localparam int unsigned DATA_BITS = 512;
    localparam int unsigned CRC_BITS = 32;
    localparam int unsigned OVERHEAD_BYTES = (WORD_BITS + HEADER_BITS + CRC_BITS) / 8;
    localparam logic [2:0] FN_COMPARE_SWAP = 3'd2;

    // Bytes of payload that follow a header. A compare-and-swap has two operands.
    function automatic logic [6:0] payload_bytes(input logic [HEADER_BITS-1:0] bits);
        logic reads, carries, twice;
        logic [7:0] size;
        /* verilator lint_off UNUSEDSIGNAL */
        line_t line;
        /* verilator lint_on UNUSEDSIGNAL */
        line = {{DATA_BITS{1'b0}}, bits};
        reads = line.op == OP_READ || line.op == OP_LOAD_REDUCE;
        carries = line.op == OP_FETCH || reads == line.response;
        twice = (line.op == OP_ATOMIC || line.op == OP_FETCH) && !line.response && line.fn == FN_COMPARE_SWAP;
        size = twice ? {line.size, 1'b0} : {1'b0, line.size};
        return !carries ? 7'd0 : size > 8'd64 ? 7'd64 : size[6:0];
    endfunction

    // Ones over the bits of `bytes` bytes.
    function automatic logic [DATA_BITS-1:0] payload_mask(input logic [6:0] bytes);
        return bytes[6] ? '1 : ~({DATA_BITS{1'b1}} << {bytes[5:0], 3'b000});
    endfunction
endpackage
