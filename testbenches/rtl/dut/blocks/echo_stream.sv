// What goes in comes out again, beat by beat, some clocks later.
module echo_stream #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned W = 128,
    localparam int unsigned D = 16,
    localparam int unsigned B = W + W / 8 + 9
) (
    // Pins that the map ties.
    input  logic slow,         // ready waits for valid
    input  logic [1:0] fault,  // 1: last is early, 2: valid falls, 3: keep is wrong
    input  logic aclk,
    input  logic areset,
    input  logic [PORTS-1:0] s_tvalid,
    output logic [PORTS-1:0] s_tready,
    input  logic [PORTS-1:0][W-1:0] s_tdata,
    input  logic [PORTS-1:0][W/8-1:0] s_tkeep,
    input  logic [PORTS-1:0] s_tlast,
    input  logic [PORTS-1:0][3:0] s_tdest,
    input  logic [PORTS-1:0][3:0] s_tid,
    output logic [PORTS-1:0] m_tvalid,
    input  logic [PORTS-1:0] m_tready,
    output logic [PORTS-1:0][W-1:0] m_tdata,
    output logic [PORTS-1:0][W/8-1:0] m_tkeep,
    output logic [PORTS-1:0] m_tlast,
    output logic [PORTS-1:0][3:0] m_tdest,
    output logic [PORTS-1:0][3:0] m_tid,
    output logic idle
);
    logic [PORTS-1:0] empty;
    for (genvar p = 0; p < PORTS; p++) begin : ports
        logic [D-1:0][B-1:0] beats;
        logic [4:0] count;
        logic [7:0] clocks;
        logic push, pop;
        wire last;
        assign empty[p] = count == 0;
        assign s_tready[p] = count != 5'(D) && (!slow || (s_tvalid[p] && clocks[0]));
        assign push = s_tvalid[p] && s_tready[p];
        assign pop = m_tvalid[p] && m_tready[p];
        assign m_tvalid[p] = count != 0 && !(fault == 2 && clocks[1:0] == 0);
        assign {m_tid[p], m_tdest[p], last, m_tkeep[p][W/8-1:1], m_tkeep[p][0], m_tdata[p]} = beats[0] ^ (fault == 3 ? B'(1) << W : '0);
        assign m_tlast[p] = last | (fault == 1);
        always_ff @(posedge aclk) begin
            clocks <= areset ? '0 : clocks + 1;
            if (areset) count <= '0;
            else count <= count + 5'(push) - 5'(pop);
            if (pop) beats <= beats >> B;
            if (push) beats[4'(count - 5'(pop))] <= {s_tid[p], s_tdest[p], s_tlast[p], s_tkeep[p], s_tdata[p]};
        end
    end
    assign idle = &empty;
endmodule
