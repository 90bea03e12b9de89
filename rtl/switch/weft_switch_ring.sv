// A queue of DEPTH entries. What is pushed in one clock is seen from the next on.
module weft_switch_ring #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 8
) (
    input  logic clk,
    input  logic rst_n,
    input  logic push,
    input  logic [WIDTH-1:0] push_data,
    input  logic pop,
    output logic valid,              // `head` is there
    output logic [WIDTH-1:0] head
);
    localparam int unsigned AW = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam int unsigned CW = $clog2(DEPTH + 1);

    logic [WIDTH-1:0] store [DEPTH];
    logic [AW-1:0] first, last;
    logic [CW-1:0] count;

    assign valid = count != 0;
    assign head = store[first];

    function automatic logic [AW-1:0] up(input logic [AW-1:0] number);
        return number == AW'(DEPTH - 1) ? '0 : number + 1'b1;
    endfunction

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            first <= '0;
            last <= '0;
            count <= '0;
        end else begin
            if (push) begin
                store[last] <= push_data;
                last <= up(last);
            end
            if (pop) first <= up(first);
            if (push && !pop) count <= count + 1'b1;
            if (pop && !push) count <= count - 1'b1;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk)
        if (rst_n) begin
            assert (!push || pop || count != CW'(DEPTH)) else $error("a queue overflows");
            assert (!pop || valid) else $error("an empty queue is popped");
        end
`endif
endmodule
