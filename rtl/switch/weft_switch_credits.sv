// Credits of the outputs, by channel: how many lines of it whoever follows can take.
module weft_switch_credits #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned VCS = 4,
    parameter int unsigned MAX_CREDITS = 8,
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1,
    localparam int unsigned CW = $clog2(MAX_CREDITS + 1)
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0][VCS-1:0][CW-1:0] cfg_credits,  // sampled in reset
    input  logic [PORTS-1:0][VCS-1:0] back,                 // a slot is free again: counts from the next clock on
    input  logic [PORTS-1:0] sent,
    input  logic [VCW-1:0] sent_vc [PORTS],
    output logic [PORTS-1:0] some [VCS]                     // outputs that have a credit of the channel
);
    generate
        for (genvar o = 0; o < int'(PORTS); o++) begin : g_output
            logic [CW-1:0] credits [VCS];
            for (genvar v = 0; v < int'(VCS); v++) begin : g_channel
                logic up, down;
                logic [CW-1:0] next;
                assign up = back[o][v];
                assign down = sent[o] && sent_vc[o] == VCW'(v);
                assign next = up && !down ? credits[v] + 1'b1 : down && !up ? credits[v] - 1'b1 : credits[v];
                assign some[v][o] = credits[v] != 0;
                always_ff @(posedge clk) credits[v] <= rst_n ? next : cfg_credits[o][v];
            end
        end
    endgenerate
endmodule
