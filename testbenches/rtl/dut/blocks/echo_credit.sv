// What goes in comes out again; credits on both sides, of each channel.
module echo_credit #(
    parameter int unsigned VCS = 2,
    parameter int unsigned W = 320,
    parameter int unsigned IN_CREDITS = 4,
    parameter int unsigned OUT_CREDITS = 4,
    localparam int unsigned VW = VCS > 1 ? $clog2(VCS) : 1
) (
    // Pins that the map ties.
    input  logic [1:0] fault,  // 1: sends without a credit, 2: gives a credit twice, 3: keeps one credit in 500
    input  logic interleave,   // channels take turns beat by beat
    input  logic clk,
    input  logic rst_n,
    input  logic in_valid,
    input  logic [VW-1:0] in_vc,
    input  logic [W-1:0] in_data,
    output logic [VCS-1:0] in_credit,
    output logic out_valid,
    output logic [VW-1:0] out_vc,
    output logic [W-1:0] out_data,
    input  logic [VCS-1:0] out_credit
);
    logic [VCS-1:0][IN_CREDITS-1:0][W-1:0] beats;
    logic [VCS-1:0][7:0] count, credits;
    logic [VW-1:0] sending;
    logic odd;
    logic [8:0] given;

    // A line is two beats; its channel goes on until the second is out.
    always_comb begin
        out_valid = 1'b0;
        out_vc = sending;
        if (interleave) begin
            for (int unsigned i = 1; i <= VCS; i++) begin
                automatic int unsigned v = (32'(sending) + i) % VCS;
                if (!out_valid && count[v] != 0 && credits[v] != 0) begin
                    out_valid = 1'b1;
                    out_vc = VW'(v);
                end
            end
        end else if (odd) begin
            out_valid = count[sending] != 0 && credits[sending] != 0;
        end else begin
            for (int unsigned v = 0; v < VCS; v++)
                if (!out_valid && count[v] > 1 && (credits[v] > 1 || fault == 1)) begin
                    out_valid = 1'b1;
                    out_vc = VW'(v);
                end
        end
        if (fault == 1 && odd) out_valid = count[sending] != 0;
        out_data = beats[out_vc][0];
        in_credit = '0;
        in_credit[out_vc] = out_valid;
        if (fault == 2 && out_valid) in_credit = '1;
        if (fault == 3 && given == 9'd499) in_credit = '0;
    end

    always_ff @(posedge clk) begin
        for (int unsigned v = 0; v < VCS; v++) begin
            automatic logic push = in_valid && 32'(in_vc) == v;
            automatic logic pop = out_valid && 32'(out_vc) == v;
            if (!rst_n) begin
                count[v] <= '0;
                credits[v] <= 8'(OUT_CREDITS);
            end else begin
                count[v] <= count[v] + 8'(push) - 8'(pop);
                credits[v] <= credits[v] + 8'(out_credit[v]) - 8'(pop);
                if (push && count[v] == 8'(IN_CREDITS)) $error("a beat without a credit");
            end
            if (pop) beats[v] <= beats[v] >> W;
            if (push) beats[v][2'(count[v] - 8'(pop))] <= in_data;
        end
        if (!rst_n) begin
            odd <= 1'b0;
            sending <= '0;
            given <= '0;
        end else if (out_valid) begin
            given <= given == 9'd499 ? '0 : given + 1'b1;
            odd <= !odd;
            sending <= out_vc;
        end
    end
endmodule
