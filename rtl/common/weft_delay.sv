// A pipeline of CLOCKS stages (0: a wire).
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
        end else begin : g_stages
            logic [CLOCKS-1:0] valid;
            logic [WIDTH-1:0] stage [CLOCKS];
            always_ff @(posedge clk) begin
                if (!rst_n) valid <= '0;
                else begin
                    valid[0] <= valid_in;
                    for (int i = 1; i < int'(CLOCKS); i++) valid[i] <= valid[i-1];
                end
                if (valid_in) stage[0] <= data_in;
                for (int i = 1; i < int'(CLOCKS); i++) if (valid[i-1]) stage[i] <= stage[i-1];
            end
            assign valid_out = valid[CLOCKS-1];
            assign data_out = stage[CLOCKS-1];
        end
    endgenerate
endmodule
