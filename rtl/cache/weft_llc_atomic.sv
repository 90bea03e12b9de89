// What an atomic makes of a word of 4 or 8 bytes; unsigned. A word of 4 bytes is in the lower half, zeroes above it.
module weft_llc_atomic (
    input  logic [2:0] fn,
    input  logic wide,  // 8 bytes
    input  logic [63:0] word,
    input  logic [63:0] operand,
    input  logic [63:0] comparand,
    output logic [63:0] result
);
    logic [63:0] used, against;
    assign used = wide ? operand : {32'd0, operand[31:0]};
    assign against = wide ? comparand : {32'd0, comparand[31:0]};

    always_comb begin
        case (fn)
            3'd0: result = word + used;
            3'd1: result = used;
            3'd2: result = word == against ? used : word;
            3'd3: result = used < word ? used : word;
            default: result = used > word ? used : word;
        endcase
    end
endmodule
