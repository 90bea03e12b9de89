// One port of AXI4 straight through, with pauses. fault, a pin that the map ties: 1 awlen, 2 wstrb, 3 wlast, 4 bid, 5 bresp, 6 awaddr, 7 rlast, 8 awsize, 9 awburst.
module axi4_wire #(
    parameter int unsigned W = 64
) (
    input  logic [3:0] fault,
    input  logic clk,
    input  logic rst,
    input  logic s_awvalid,
    output logic s_awready,
     input logic [5:0] s_awid,
     input logic [63:0] s_awaddr,
     input logic [7:0] s_awlen,
     input logic [2:0] s_awsize,
     input logic [1:0] s_awburst,
     input logic [127:0] s_awuser,
    output logic m_awvalid,
    input  logic m_awready,
     output logic [5:0] m_awid,
     output logic [63:0] m_awaddr,
     output logic [7:0] m_awlen,
     output logic [2:0] m_awsize,
     output logic [1:0] m_awburst,
     output logic [127:0] m_awuser,
    input  logic s_wvalid,
    output logic s_wready,
     input logic [W-1:0] s_wdata,
     input logic [W/8-1:0] s_wstrb,
     input logic s_wlast,
    output logic m_wvalid,
    input  logic m_wready,
     output logic [W-1:0] m_wdata,
     output logic [W/8-1:0] m_wstrb,
     output logic m_wlast,
    output logic s_bvalid,
    input  logic s_bready,
     output logic [5:0] s_bid,
     output logic [1:0] s_bresp,
     output logic [127:0] s_buser,
    input  logic m_bvalid,
    output logic m_bready,
     input logic [5:0] m_bid,
     input logic [1:0] m_bresp,
     input logic [127:0] m_buser,
    input  logic s_arvalid,
    output logic s_arready,
     input logic [5:0] s_arid,
     input logic [63:0] s_araddr,
     input logic [7:0] s_arlen,
     input logic [2:0] s_arsize,
     input logic [1:0] s_arburst,
     input logic [255:0] s_aruser,
    output logic m_arvalid,
    input  logic m_arready,
     output logic [5:0] m_arid,
     output logic [63:0] m_araddr,
     output logic [7:0] m_arlen,
     output logic [2:0] m_arsize,
     output logic [1:0] m_arburst,
     output logic [255:0] m_aruser,
    output logic s_rvalid,
    input  logic s_rready,
     output logic [5:0] s_rid,
     output logic [W-1:0] s_rdata,
     output logic [1:0] s_rresp,
     output logic s_rlast,
     output logic [127:0] s_ruser,
    input  logic m_rvalid,
    output logic m_rready,
     input logic [5:0] m_rid,
     input logic [W-1:0] m_rdata,
     input logic [1:0] m_rresp,
     input logic m_rlast,
     input logic [127:0] m_ruser
);
    logic [15:0] noise;
    logic [4:0] pause, offered;
    // What has been offered is not taken back.
    assign pause = noise[4:0] & noise[9:5] & ~offered;
    always_ff @(posedge clk) offered <= rst ? '0 : {s_rvalid & ~s_rready, m_arvalid & ~m_arready, s_bvalid & ~s_bready,
        m_wvalid & ~m_wready, m_awvalid & ~m_awready};
    always_ff @(posedge clk) noise <= rst ? 16'h1 : {noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]};
    assign m_awvalid = s_awvalid && !pause[0];
    assign s_awready = m_awready && !pause[0];
    assign m_awid = s_awid;
    assign m_awaddr = s_awaddr ^ 64'(fault == 6);
    assign m_awlen = s_awlen ^ 8'(fault == 1);
    assign m_awsize = s_awsize ^ 3'(fault == 8);
    assign m_awburst = s_awburst ^ 2'(fault == 9);
    assign m_awuser = s_awuser;
    assign m_wvalid = s_wvalid && !pause[1];
    assign s_wready = m_wready && !pause[1];
    assign m_wdata = s_wdata;
    assign m_wstrb = s_wstrb ^ W/8'(fault == 2);
    assign m_wlast = s_wlast ^ 1'(fault == 3);
    assign s_bvalid = m_bvalid && !pause[2];
    assign m_bready = s_bready && !pause[2];
    assign s_bid = m_bid ^ 6'(fault == 4);
    assign s_bresp = m_bresp ^ 2'(fault == 5);
    assign s_buser = m_buser;
    assign m_arvalid = s_arvalid && !pause[3];
    assign s_arready = m_arready && !pause[3];
    assign m_arid = s_arid;
    assign m_araddr = s_araddr;
    assign m_arlen = s_arlen;
    assign m_arsize = s_arsize;
    assign m_arburst = s_arburst;
    assign m_aruser = s_aruser;
    assign s_rvalid = m_rvalid && !pause[4];
    assign m_rready = s_rready && !pause[4];
    assign s_rid = m_rid;
    assign s_rdata = m_rdata;
    assign s_rresp = m_rresp;
    assign s_rlast = m_rlast ^ 1'(fault == 7);
    assign s_ruser = m_ruser;
endmodule
