// A line of operands combined with a line of accumulators, element by element. Combinational.
module weft_combine (
    input  logic enable,           // otherwise nothing moves, and the result is 0
    input  logic [1:0] element,    // type of the elements (weft_group_pkg)
    input  logic [1:0] reduction,
    input  logic [511:0] accumulator,
    input  logic [511:0] operand,
    output logic [511:0] result
);
    generate
        for (genvar i = 0; i < 16; i++) begin : g_word
            weft_combine_word word (
                .enable, .element, .reduction, .accumulator(accumulator[32*i+:32]),
                .operand(operand[32*i+:32]), .result(result[32*i+:32]));
        end
    endgenerate
endmodule
