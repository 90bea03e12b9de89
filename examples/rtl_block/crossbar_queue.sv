// A queue of two lines.
module crossbar_queue #(
    parameter int unsigned WIDTH = 8
) (
    input  logic clk,
    input  logic rst_n,
    input  logic push,
    input  logic [WIDTH-1:0] push_data,
    output logic ready,
    output logic valid,
    output logic [WIDTH-1:0] data,
    input  logic pop
);
    logic [1:0][WIDTH-1:0] place;
    logic [1:0] count;
    logic at;

    assign ready = count != 2;
    assign valid = count != 0;
    assign data = place[0];
    assign at = count[0] ^ pop;

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            count <= '0;
        end else begin
            count <= count + 2'(push) - 2'(pop);
            if (pop) place[0] <= place[1];
            if (push) place[at] <= push_data;
`ifndef SYNTHESIS
            if (push && count == 2) $error("a line into a full queue");
            if (pop && count == 0) $error("a line out of an empty queue");
`endif
        end
    end
endmodule
