// The groups: who is in them, where they are, and what combines their operands.
module weft_group_table #(
    parameter int unsigned MEMBERS = 8,
    parameter int unsigned GROUPS = 4,
    parameter int unsigned PORTS = 4
) (
    input  logic clk,
    input  logic rst_n,
    input  logic cfg_valid,
    input  logic [GW-1:0] cfg_group,
    input  logic [NW-1:0] cfg_count,
    input  logic [MEMBERS-1:0][PW-1:0] cfg_members,
    input  logic [MEMBERS-1:0][15:0] cfg_endpoints,
    input  logic [1:0] cfg_type,
    input  logic [1:0] cfg_op,
    // all of it, by group
    output logic [GROUPS-1:0][NW-1:0] count,  // 0: no such group
    output logic [GROUPS-1:0][PORTS-1:0] ports,
    output logic [GROUPS-1:0][1:0] element,
    output logic [GROUPS-1:0][1:0] reduction,
    // which member an endpoint is
    input  logic [GW-1:0] asked_group,
    input  logic [15:0] asked_endpoint,
    output logic is_member,
    output logic [MW-1:0] member
);
    localparam int unsigned GW = GROUPS > 1 ? $clog2(GROUPS) : 1;
    localparam int unsigned MW = MEMBERS > 1 ? $clog2(MEMBERS) : 1;
    localparam int unsigned NW = $clog2(MEMBERS + 1);
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1;

    logic [MEMBERS-1:0][15:0] endpoints [GROUPS];
    logic [PORTS-1:0] cfg_ports;

    always_comb begin
        cfg_ports = '0;
        for (int i = 0; i < int'(MEMBERS); i++)
            if (NW'(i) < cfg_count) cfg_ports[cfg_members[i]] = 1'b1;
    end

    always_comb begin
        is_member = 1'b0;
        member = '0;
        for (int i = int'(MEMBERS) - 1; i >= 0; i--)
            if (NW'(i) < count[asked_group] && endpoints[asked_group][i] == asked_endpoint) begin
                is_member = 1'b1;
                member = MW'(i);
            end
    end

    always_ff @(posedge clk) begin
        if (!rst_n) count <= '0;
        else if (cfg_valid) count[cfg_group] <= cfg_count;
        if (cfg_valid) begin
            ports[cfg_group] <= cfg_ports;
            endpoints[cfg_group] <= cfg_endpoints;
            element[cfg_group] <= cfg_type;
            reduction[cfg_group] <= cfg_op;
        end
    end
endmodule
