// A delay of CLOCKS clocks (0: a wire): a ring that is written and read at the same place, so that a long one costs no more
// than a short one.
module weft_delay #(
    parameter int unsigned WIDTH = 1,
    parameter int unsigned CLOCKS = 1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic valid_in,
    input  logic [WIDTH-1:0] data_in,
    output logic valid_out,
    output logic [WIDTH-1:0] data_out
);
    generate
        if (CLOCKS == 0) begin : g_wire
            assign valid_out = valid_in;
            assign data_out = data_in;
            logic unused;
            assign unused = clk & rst_n;
        end else begin : g_ring
            localparam int unsigned PW = CLOCKS > 1 ? $clog2(CLOCKS) : 1;
            logic [CLOCKS-1:0] valid;
            logic [WIDTH-1:0] store [CLOCKS];
            logic [PW-1:0] place;
            always_ff @(posedge clk) begin
                if (!rst_n) begin
                    valid <= '0;
                    place <= '0;
                end else begin
                    valid[place] <= valid_in;
                    place <= place == PW'(CLOCKS - 1) ? '0 : place + 1'b1;
                end
                if (valid_in) store[place] <= data_in;
            end
            assign valid_out = valid[place];
            assign data_out = store[place];
        end
    endgenerate
endmodule
