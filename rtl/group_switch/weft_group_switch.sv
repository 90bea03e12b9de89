// A switch with a unit for operations on groups at a port of its own inside.
//
// Pins as weft_switch, and in_unit: the line goes to the unit. A line takes part in the matching from LATENCY clocks after it
// came; what the unit makes, from the clock after. What is matched for the unit is on its pins in the next clock.
// Copies that the unit makes for members name the group; each output puts the endpoint of its member in.
//
// The top six bits of a group's number are ones. On the way to the unit they hold the input that a request came by,
// where its answer goes.
module weft_group_switch import weft_line_pkg::*; #(
    parameter int unsigned PORTS = 4,        // up to 63
    parameter int unsigned VCS = 4,
    parameter int unsigned DEPTH = 8,
    parameter int unsigned MAX_CREDITS = 8,  // largest of cfg_credits, at least SLOTS
    parameter int unsigned LATENCY = 1,
    parameter int unsigned ITERATIONS = 1,
    parameter bit ISLIP = 1'b1,
    parameter bit ONE_QUEUE = 1'b0,
    parameter int unsigned GROUPS = 4,       // as weft_group_unit
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned SLOTS = 4,
    parameter int unsigned VC_READ = 0,
    parameter int unsigned VC_WRITE = 1,
    parameter int unsigned VC_GROUP = 2,
    parameter int unsigned VC_RESPONSE = 3,
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1,
    localparam int unsigned CW = $clog2(MAX_CREDITS + 1),
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1,
    localparam int unsigned GW = GROUPS > 1 ? $clog2(GROUPS) : 1,
    localparam int unsigned NW = $clog2(PORTS + 1)
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0][VCS-1:0][CW-1:0] cfg_credits,
    input  logic [PORTS-1:0] in_valid,
    input  logic [PORTS-1:0][VCW-1:0] in_vc,
    input  logic [PORTS-1:0][PORTS-1:0] in_ports,
    input  logic [PORTS-1:0] in_unit,
    input  logic [PORTS-1:0][639:0] in_data,
    output logic [PORTS-1:0] in_credit_valid,
    output logic [PORTS-1:0][VCW-1:0] in_credit_vc,
    output logic [PORTS-1:0] out_valid,
    output logic [PORTS-1:0][VCW-1:0] out_vc,
    output logic [PORTS-1:0][639:0] out_data,
    input  logic [PORTS-1:0] out_ready,
    input  logic [PORTS-1:0][VCS-1:0] out_credit,
    input  logic cfg_valid,
    input  logic [GW-1:0] cfg_group,
    input  logic [NW-1:0] cfg_count,
    input  logic [PORTS-1:0][PW-1:0] cfg_members,
    input  logic [PORTS-1:0][15:0] cfg_endpoints,
    input  logic [1:0] cfg_type,
    input  logic [1:0] cfg_op,
    output logic idle
);
    localparam int unsigned ALL = PORTS + 1;
    localparam int unsigned UNIT_RESPONSES = MAX_CREDITS < 8 ? MAX_CREDITS : 8;

    logic [ALL-1:0][VCS-1:0][CW-1:0] core_credits;
    logic [ALL-1:0] core_in_valid, core_out_valid, core_credit_valid, core_ready;
    logic [ALL-1:0][VCW-1:0] core_in_vc, core_out_vc, core_credit_vc;
    logic [ALL-1:0][ALL-1:0] core_in_ports;
    logic [ALL-1:0][639:0] core_in_data, core_out_data;
    logic [ALL-1:0][VCS-1:0] core_out_credit;
    logic core_idle, unit_idle;

    // Input pipelines.
    generate
        for (genvar i = 0; i < int'(PORTS); i++) begin : g_input
            line_t line, marked;
            assign line = in_data[i];
            always_comb begin
                marked = line;
                if (in_unit[i] && !line.response) marked.destination[15:10] = 6'(i);
            end
            weft_delay #(.WIDTH(640 + VCW + ALL), .CLOCKS(LATENCY - 1)) pipeline (
                .clk, .rst_n, .valid_in(in_valid[i]), .data_in({in_vc[i], in_unit[i], in_ports[i], marked}),
                .valid_out(core_in_valid[i]), .data_out({core_in_vc[i], core_in_ports[i], core_in_data[i]}));
            assign core_credits[i] = cfg_credits[i];
            assign core_out_credit[i] = out_credit[i];
            assign core_ready[i] = out_ready[i];
            assign in_credit_valid[i] = core_credit_valid[i];
            assign in_credit_vc[i] = core_credit_vc[i];
            assign out_valid[i] = core_out_valid[i];
            assign out_vc[i] = core_out_vc[i];
        end
    endgenerate

    weft_switch #(.PORTS(ALL), .VCS(VCS), .DEPTH(DEPTH), .MAX_CREDITS(MAX_CREDITS), .WIDTH(640), .LATENCY(1), .TRAVERSAL(0),
        .ITERATIONS(ITERATIONS), .ISLIP(ISLIP), .ONE_QUEUE(ONE_QUEUE)) core (
        .clk, .rst_n, .cfg_credits(core_credits), .in_valid(core_in_valid), .in_vc(core_in_vc), .in_ports(core_in_ports),
        .in_data(core_in_data), .in_credit_valid(core_credit_valid), .in_credit_vc(core_credit_vc),
        .out_valid(core_out_valid), .out_vc(core_out_vc), .out_data(core_out_data), .out_ready(core_ready),
        .out_credit(core_out_credit), .idle(core_idle));

    // The unit, at the last port.
    logic unit_in_valid;
    logic [VCW-1:0] unit_in_vc;
    line_t unit_in_line, unit_line;
    logic [PW-1:0] unit_in_port;
    logic [VCS-1:0] unit_ready, unit_credit;
    logic [PORTS-1:0] unit_ports;
    line_t arriving, restored;

    assign arriving = core_out_data[PORTS];
    always_comb begin
        restored = arriving;
        if (!arriving.response) restored.destination[15:10] = '1;
    end
    always_ff @(posedge clk) begin
        if (!rst_n) unit_in_valid <= 1'b0;
        else unit_in_valid <= core_out_valid[PORTS];
        if (core_out_valid[PORTS]) begin
            unit_in_vc <= core_out_vc[PORTS];
            unit_in_line <= restored;
            unit_in_port <= arriving.destination[10+:PW];
        end
    end

    weft_group_unit #(.MEMBERS(PORTS), .GROUPS(GROUPS), .CONTEXTS(CONTEXTS), .SLOTS(SLOTS), .PORTS(PORTS), .VCS(VCS),
        .VC_READ(VC_READ), .VC_WRITE(VC_WRITE), .VC_GROUP(VC_GROUP), .VC_RESPONSE(VC_RESPONSE)) group_unit (
        .clk, .rst_n, .in_valid(unit_in_valid), .in_vc(unit_in_vc), .in_port(unit_in_port), .in_line(unit_in_line),
        .in_credit(unit_credit), .out_valid(core_in_valid[PORTS]), .out_ports(unit_ports), .out_vc(core_in_vc[PORTS]),
        .out_line(unit_line), .out_ready(unit_ready), .cfg_valid, .cfg_group, .cfg_count, .cfg_members, .cfg_endpoints,
        .cfg_type, .cfg_op, .idle(unit_idle));
    assign core_in_ports[PORTS] = {1'b0, unit_ports};
    assign core_in_data[PORTS] = unit_line;
    assign core_out_credit[PORTS] = unit_credit;
    assign core_ready[PORTS] = 1'b1;
    always_comb begin
        core_credits[PORTS] = '0;
        core_credits[PORTS][VC_GROUP] = CW'(SLOTS);
        core_credits[PORTS][VC_RESPONSE] = CW'(UNIT_RESPONSES);
    end

    // Room behind the unit's own input.
    localparam int unsigned DW = $clog2(DEPTH + 1);
    logic [VCS-1:0][DW-1:0] room;
    always_ff @(posedge clk)
        for (int v = 0; v < int'(VCS); v++) begin
            if (!rst_n) room[v] <= DW'(DEPTH);
            else room[v] <= room[v] + DW'(core_credit_valid[PORTS] && core_credit_vc[PORTS] == VCW'(v)) -
                DW'(core_in_valid[PORTS] && core_in_vc[PORTS] == VCW'(v));
        end
    always_comb for (int v = 0; v < int'(VCS); v++) unit_ready[v] = room[v] != 0;

    // Which endpoint is behind an output, by group.
    logic [15:0] endpoint_at [GROUPS][PORTS];
    always_ff @(posedge clk)
        if (cfg_valid)
            for (int m = 0; m < int'(PORTS); m++)
                if (NW'(m) < cfg_count) endpoint_at[cfg_group][cfg_members[m]] <= cfg_endpoints[m];
    generate
        for (genvar o = 0; o < int'(PORTS); o++) begin : g_output
            line_t line, renamed;
            assign line = core_out_data[o];
            always_comb begin
                renamed = line;
                if (!line.response && line.source[15:10] == '1 && line.destination[15:10] == '1)
                    renamed.destination = endpoint_at[line.source[GW-1:0]][o];
            end
            assign out_data[o] = renamed;
        end
    endgenerate

    // Lines in the input pipelines.
    logic [31:0] coming;
    always_ff @(posedge clk)
        if (!rst_n) coming <= '0;
        else coming <= coming + 32'($countones(in_valid)) - 32'($countones(core_in_valid[PORTS-1:0]));
    assign idle = core_idle && unit_idle && coming == 0 && !unit_in_valid && in_valid == '0;
endmodule
