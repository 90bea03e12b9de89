// Combines the operands of one context after the other: one operand a clock, in the order of members.
//
// A context that is pushed in clock c has its first operand read in clock c + 1, or when those before it are done. Its
// result is on `result` in the clock of its last operand, with `done`.
module weft_accumulator #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned MEMBERS = 8
) (
    input  logic clk,
    input  logic rst_n,
    input  logic push,
    input  logic [CW-1:0] push_context,
    // the operand at work
    output logic [CW-1:0] head,      // context
    output logic [MW-1:0] member,
    input  logic [MW-1:0] last_member,
    input  logic [1:0] element,
    input  logic [1:0] reduction,
    input  logic [511:0] operand,
    output logic done,
    output logic [511:0] result
);
    localparam int unsigned CW = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1;
    localparam int unsigned MW = MEMBERS > 1 ? $clog2(MEMBERS) : 1;

    logic waiting;
    logic [511:0] accumulator, combined;

    weft_context_queue #(.CONTEXTS(CONTEXTS)) queue (.clk, .rst_n, .push, .push_context, .pop(done), .waiting, .head);
    weft_combine combine (
        .enable(waiting && member != 0), .element, .reduction, .accumulator, .operand, .result(combined));

    assign result = member == 0 ? operand : combined;
    assign done = waiting && member == last_member;

    always_ff @(posedge clk) begin
        if (!rst_n) member <= '0;
        else if (done) member <= '0;
        else if (waiting) member <= member + 1'b1;
        if (waiting) accumulator <= result;
    end
endmodule
