// One flit of a reflected CRC-32, combinational: every bit of the result is the parity of some bits of flit and state.
// A packet begins with a state of ones; its CRC is the complement of `before_last` at its last flit, which is the state
// without the 32 bits on top, where the CRC itself goes.
module weft_link_crc #(
    parameter int unsigned BITS = 128,
    parameter logic [31:0] POLY = 32'hEDB88320
) (
    input  logic [31:0] crc,
    input  logic [BITS-1:0] flit,
    output logic [31:0] before_last,
    output logic [31:0] after
);
    localparam int unsigned FIRST = BITS - 32;

    // What a bit that `further` bits follow leaves in the state, transposed: for each bit of the state the bits of a
    // word of `count` bits that count.
    function automatic logic [31:0][FIRST-1:0] rows();
        logic [31:0] state;
        state = POLY;
        rows = '0;
        for (int further = 0; further < int'(FIRST); further++) begin
            for (int bit_of = 0; bit_of < 32; bit_of++) rows[bit_of][int'(FIRST) - 1 - further] = state[bit_of];
            state = state[0] ? (state >> 1) ^ POLY : state >> 1;
        end
    endfunction
    function automatic logic [31:0][31:0] last_rows();
        logic [31:0] state;
        state = POLY;
        last_rows = '0;
        for (int further = 0; further < 32; further++) begin
            for (int bit_of = 0; bit_of < 32; bit_of++) last_rows[bit_of][31 - further] = state[bit_of];
            state = state[0] ? (state >> 1) ^ POLY : state >> 1;
        end
    endfunction
    localparam logic [31:0][FIRST-1:0] ROWS = rows();
    localparam logic [31:0][31:0] LAST_ROWS = last_rows();

    logic [FIRST-1:0] first;
    logic [31:0] last;
    assign last = before_last ^ flit[BITS-1:FIRST];
    generate
        if (FIRST > 32) begin : g_long
            assign first = flit[FIRST-1:0] ^ {{(FIRST - 32){1'b0}}, crc};
        end else begin : g_short
            assign first = flit[FIRST-1:0] ^ crc;
        end
        for (genvar i = 0; i < 32; i++) begin : g_bit
            assign before_last[i] = ^(first & ROWS[i]);
            assign after[i] = ^(last & LAST_ROWS[i]);
        end
    endgenerate
endmodule
