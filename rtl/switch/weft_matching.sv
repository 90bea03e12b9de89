// Matching of inputs to outputs, once per clock: iSLIP or round robin, ITERATIONS rounds, combinational but for its
// pointers. Every free output grants the first input from its pointer on that asks for it, every input accepts the first
// of its grants from its own pointer on. Pointers move behind the matches of the first round (ISLIP), those of outputs
// with every grant otherwise.
module weft_matching #(
    parameter int unsigned INPUTS = 4,
    parameter int unsigned OUTPUTS = 4,
    parameter int unsigned ITERATIONS = 1,
    parameter bit ISLIP = 1'b1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [INPUTS-1:0][OUTPUTS-1:0] request,
    output logic [INPUTS-1:0][OUTPUTS-1:0] match  // one bit at most in every row and column
);
    localparam int unsigned IW = INPUTS > 1 ? $clog2(INPUTS) : 1;
    localparam int unsigned OW = OUTPUTS > 1 ? $clog2(OUTPUTS) : 1;

    logic [OUTPUTS-1:0][IW-1:0] grant_pointer, grant_pointer_next;
    logic [INPUTS-1:0][OW-1:0] accept_pointer, accept_pointer_next;

    // The next number in cyclic order.
    function automatic logic [IW-1:0] behind_input(input logic [IW-1:0] number);
        return number == IW'(INPUTS - 1) ? '0 : number + 1'b1;
    endfunction
    function automatic logic [OW-1:0] behind_output(input logic [OW-1:0] number);
        return number == OW'(OUTPUTS - 1) ? '0 : number + 1'b1;
    endfunction

    logic [INPUTS-1:0] input_taken;
    logic [OUTPUTS-1:0] output_taken;
    logic [INPUTS-1:0][OUTPUTS-1:0] grants;
    logic found;
    logic [IW-1:0] in_turn;
    logic [OW-1:0] out_turn;

    always_comb begin
        match = '0;
        input_taken = '0;
        output_taken = '0;
        grant_pointer_next = grant_pointer;
        accept_pointer_next = accept_pointer;
        grants = '0;
        found = 1'b0;
        in_turn = '0;
        out_turn = '0;
        for (int round = 0; round < int'(ITERATIONS); round++) begin
            grants = '0;
            for (int o = 0; o < int'(OUTPUTS); o++) begin
                found = output_taken[o];
                in_turn = ISLIP ? grant_pointer[o] : grant_pointer_next[o];
                for (int k = 0; k < int'(INPUTS); k++) begin
                    if (!found && request[in_turn][o] && !input_taken[in_turn]) begin
                        grants[in_turn][o] = 1'b1;
                        found = 1'b1;
                        if (!ISLIP) grant_pointer_next[o] = behind_input(in_turn);
                    end
                    in_turn = behind_input(in_turn);
                end
            end
            for (int i = 0; i < int'(INPUTS); i++) begin
                found = 1'b0;
                out_turn = accept_pointer[i];
                for (int k = 0; k < int'(OUTPUTS); k++) begin
                    if (!found && grants[i][out_turn]) begin
                        match[i][out_turn] = 1'b1;
                        input_taken[i] = 1'b1;
                        output_taken[out_turn] = 1'b1;
                        found = 1'b1;
                        if (round == 0) begin
                            accept_pointer_next[i] = behind_output(out_turn);
                            if (ISLIP) grant_pointer_next[out_turn] = behind_input(IW'(i));
                        end
                    end
                    out_turn = behind_output(out_turn);
                end
            end
        end
    end

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            grant_pointer <= '0;
            accept_pointer <= '0;
        end else begin
            grant_pointer <= grant_pointer_next;
            accept_pointer <= accept_pointer_next;
        end
    end
endmodule
