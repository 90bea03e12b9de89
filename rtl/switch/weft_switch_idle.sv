// Whether the switch has anything to do: lines that have entered and not left for good, lines on the way to
// an output, and what enters in this clock.
module weft_switch_idle #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned LINES = 128,  // that may be inside
    parameter int unsigned TRAVERSAL = 1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0] entered,
    input  logic [PORTS-1:0] freed,
    input  logic sending,
    input  logic credit,
    output logic idle
);
    localparam int unsigned LW = $clog2(LINES + 1);
    localparam int unsigned TW = TRAVERSAL > 0 ? $clog2(TRAVERSAL + 1) : 1;

    logic [LW-1:0] lines;
    logic [TW-1:0] on_the_way;  // clocks until the last output

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            lines <= '0;
            on_the_way <= '0;
        end else begin
            lines <= lines + LW'($countones(entered)) - LW'($countones(freed));
            if (sending) on_the_way <= TW'(TRAVERSAL);
            else if (on_the_way != 0) on_the_way <= on_the_way - 1'b1;
        end
    end
    assign idle = lines == 0 && on_the_way == 0 && entered == 0 && !credit;
endmodule
