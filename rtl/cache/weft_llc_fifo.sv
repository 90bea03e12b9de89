// A queue of DEPTH words. What is pushed is at the head in the next clock at the earliest.
module weft_llc_fifo #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 4
) (
    input  logic clk,
    input  logic rst_n,
    input  logic push,
    input  logic [WIDTH-1:0] push_data,
    input  logic pop,
    output logic valid,
    output logic [WIDTH-1:0] data
);
    localparam int unsigned AW = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam int unsigned CW = $clog2(DEPTH + 1);

    logic [WIDTH-1:0] words [DEPTH];
    logic [AW-1:0] head, tail;
    logic [CW-1:0] count;

    assign valid = count != 0;
    assign data = words[head];

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            head <= '0;
            tail <= '0;
            count <= '0;
        end else begin
            if (push) tail <= tail == AW'(DEPTH - 1) ? '0 : tail + 1'b1;
            if (pop) head <= head == AW'(DEPTH - 1) ? '0 : head + 1'b1;
            count <= count + CW'(push) - CW'(pop);
        end
        if (push) words[tail] <= push_data;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        assert (!rst_n || !push || pop || count != CW'(DEPTH)) else $error("fifo: pushed while full");
        assert (!rst_n || !pop || valid) else $error("fifo: popped while empty");
    end
`endif
endmodule
