// A packet on the wire, a flit a clock, without a gap to the next. Its first flit leaves with the clock in which it is
// handed over; what follows is kept here, so that the replay buffer may give the packet's slot away.
module weft_link_serializer
    import weft_link_pkg::*;
#(
    parameter int unsigned FLIT_BYTES = 16,
    parameter logic [31:0] CRC_POLY = 32'hEDB88320,
    localparam int unsigned BITS = 8 * FLIT_BYTES
) (
    input  logic clk,
    input  logic rst_n,
    input  logic start,
    input  link_word_t word,           // control: the packet is this word
    input  logic [HEADER_BITS-1:0] header,
    input  logic [DATA_BITS-1:0] data, // zero behind the payload
    output logic busy,                 // cannot begin a packet
    output logic wire_valid,
    output logic [BITS+1:0] wire_flit  // tail, head, bytes
);
    localparam int unsigned FLITS = (OVERHEAD_BYTES + 64 + FLIT_BYTES - 1) / FLIT_BYTES;
    localparam int unsigned PACKET_BITS = FLITS * BITS;
    localparam int unsigned FW = $clog2(FLITS + 1);

    logic [PACKET_BITS-1:0] packet;
    logic [PACKET_BITS-BITS-1:0] rest;
    logic [FW-1:0] count, left;        // flits of the packet that begins; still to go
    logic [31:0] crc, crc_before_last, crc_after;
    logic [BITS-1:0] flit;
    logic tail;

    function automatic logic [FW-1:0] flits(input logic [HEADER_BITS-1:0] bits);
        return FW'((8'(OVERHEAD_BYTES + FLIT_BYTES - 1) + 8'(payload_bytes(bits))) / 8'(FLIT_BYTES));
    endfunction

    assign busy = left != 0;
    always_comb begin
        packet = '0;
        packet[WORD_BITS-1:0] = word;
        if (!word.control) packet[WORD_BITS +: HEADER_BITS + DATA_BITS] = {data, header};
        count = word.control ? FW'(1) : flits(header);
        flit = busy ? rest[BITS-1:0] : packet[BITS-1:0];
        tail = busy ? left == FW'(1) : count == FW'(1);
    end

    weft_link_crc #(.BITS(BITS), .POLY(CRC_POLY)) check (
        .crc(busy ? crc : '1), .flit, .before_last(crc_before_last), .after(crc_after));

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            left <= '0;
            wire_valid <= 1'b0;
        end else begin
            wire_valid <= start || busy;
            if (busy) left <= left - 1'b1;
            else if (start) left <= count - 1'b1;
        end
        if (start || busy) begin
            wire_flit <= {tail, start, tail ? ~crc_before_last : flit[BITS-1:BITS-32], flit[BITS-33:0]};
            crc <= crc_after;
        end
        if (start) rest <= packet[PACKET_BITS-1:BITS];
        else if (busy) rest <= rest >> BITS;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (rst_n) begin
            assert (!(start && busy)) else $error("a packet begins inside another");
            assert (!(start || busy) || !tail || flit[BITS-1:BITS-32] == '0) else $error("no place for the CRC");
        end
    end
`endif
endmodule
