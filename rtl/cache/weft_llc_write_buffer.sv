// Lines on their way back to memory, in order. A line is known here from the clock after `push` on; its data follow one
// clock later (`fill`) and then it is on the pins.
module weft_llc_write_buffer #(
    parameter int unsigned DEPTH = 4,
    localparam int unsigned LW = 42
) (
    input  logic clk,
    input  logic rst_n,
    input  logic push,
    input  logic [LW-1:0] push_line,
    input  logic fill,
    input  logic [511:0] fill_data,
    input  logic pop,
    output logic valid,
    output logic [LW-1:0] line,
    output logic [511:0] data,
    output logic room,
    output logic empty,
    input  logic [LW-1:0] wanted,
    output logic found
);
    localparam int unsigned AW = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam int unsigned CW = $clog2(DEPTH + 1);

    logic [LW-1:0] lines [DEPTH];
    logic [DEPTH-1:0] taken;
    logic [AW-1:0] head, tail;
    logic [CW-1:0] count;

    weft_llc_fifo #(.WIDTH(512), .DEPTH(DEPTH)) contents (
        .clk, .rst_n, .push(fill), .push_data(fill_data), .pop, .valid, .data);

    assign line = lines[head];
    assign room = count != CW'(DEPTH);
    assign empty = count == 0;
    always_comb begin
        found = 1'b0;
        for (int i = 0; i < int'(DEPTH); i++) if (taken[i] && lines[i] == wanted) found = 1'b1;
    end

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            head <= '0;
            tail <= '0;
            count <= '0;
            taken <= '0;
        end else begin
            if (push) begin
                tail <= tail == AW'(DEPTH - 1) ? '0 : tail + 1'b1;
                taken[tail] <= 1'b1;
            end
            if (pop) begin
                head <= head == AW'(DEPTH - 1) ? '0 : head + 1'b1;
                taken[head] <= 1'b0;
            end
            count <= count + CW'(push) - CW'(pop);
        end
        if (push) lines[tail] <= push_line;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk)
        assert (!rst_n || !push || room) else $error("write buffer: a line without a place");
`endif
endmodule
