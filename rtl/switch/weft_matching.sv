// Matching of inputs to outputs, once per clock: iSLIP or round robin, ITERATIONS rounds, combinational but
// for its pointers.
//
// An input asks for outputs on behalf of lines to one output (`unicast`) and of one multicast line; it sends
// one line a clock. In a round every output that is left grants the first input from its pointer on that asks
// for it, and every input accepts: a multicast line takes all outputs that have granted it, lines to one
// output take the first from the input's pointer on. Of the two kinds that one is accepted whose turn it is,
// if it was granted anything; the turn goes on when its kind has sent. In further rounds inputs without a
// match ask for what they asked, and multicast lines that are sent for the outputs they lack.
//
// Pointers move behind the matches of the first round (ISLIP), those of outputs with every grant otherwise. A multicast
// match leaves the pointer of its input where it is.
module weft_matching #(
    parameter int unsigned INPUTS = 4,
    parameter int unsigned OUTPUTS = 4,
    parameter int unsigned ITERATIONS = 1,
    parameter bit ISLIP = 1'b1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [OUTPUTS-1:0] unicast [INPUTS],
    input  logic [OUTPUTS-1:0] multicast [INPUTS],
    output logic [OUTPUTS-1:0] match [INPUTS],      // no output in two of them
    output logic [INPUTS-1:0] match_multicast       // what the match is for
);
    localparam logic [INPUTS-1:0] ALL_INPUTS = '1;

    // Whoever is from the pointer on.
    logic [INPUTS-1:0] grant_from [OUTPUTS];
    logic [INPUTS-1:0] grant_next [OUTPUTS];
    logic [OUTPUTS-1:0] accept_from [INPUTS];
    logic [OUTPUTS-1:0] accept_next [INPUTS];
    logic [INPUTS-1:0] multicast_turn;

    localparam int unsigned IW = INPUTS > 1 ? $clog2(INPUTS) : 1;

    logic [INPUTS-1:0] taken;
    logic [OUTPUTS-1:0] output_taken;
    logic [OUTPUTS-1:0] asks;
    logic [INPUTS-1:0] asked_by [OUTPUTS];
    logic [INPUTS-1:0] multicast_of [OUTPUTS];  // and for multicast
    logic [OUTPUTS-1:0] granted_by [INPUTS];
    logic [INPUTS-1:0] candidates, granted;
    logic [OUTPUTS-1:0] single, several, accepted;

    // The number of the bit that is set.
    function automatic logic [IW-1:0] number_of(input logic [INPUTS-1:0] bits);
        logic [INPUTS-1:0] with_bit;
        for (int b = 0; b < int'(IW); b++) begin
            for (int i = 0; i < int'(INPUTS); i++) with_bit[i] = 1'(i >> b);
            number_of[b] = (bits & with_bit) != 0;
        end
    endfunction

    always_comb begin
        taken = '0;
        match_multicast = '0;
        output_taken = '0;
        asks = '0;
        candidates = '0;
        granted = '0;
        single = '0;
        several = '0;
        accepted = '0;
        for (int o = 0; o < int'(OUTPUTS); o++) begin
            asked_by[o] = '0;
            multicast_of[o] = '0;
            grant_next[o] = grant_from[o];
        end
        for (int i = 0; i < int'(INPUTS); i++) begin
            match[i] = '0;
            granted_by[i] = '0;
            accept_next[i] = accept_from[i];
            asks = unicast[i] | multicast[i];
            if (asks != 0) for (int o = 0; o < int'(OUTPUTS); o++) asked_by[o][i] = asks[o];
            if (multicast[i] != 0) for (int o = 0; o < int'(OUTPUTS); o++) multicast_of[o][i] = multicast[i][o];
        end
        for (int round = 0; round < int'(ITERATIONS); round++) begin
            for (int i = 0; i < int'(INPUTS); i++) granted_by[i] = '0;
            for (int o = 0; o < int'(OUTPUTS); o++) begin
                candidates = (asked_by[o] & ~taken) | (multicast_of[o] & match_multicast);
                if (!output_taken[o] && candidates != 0) begin
                    granted = candidates & grant_from[o];
                    if (granted == 0) granted = candidates;
                    granted &= ~granted + 1'b1;
                    if (!ISLIP) grant_next[o] = ~(granted | (granted - 1'b1));
                    granted_by[number_of(granted)][o] = 1'b1;
                end
            end
            for (int i = 0; i < int'(INPUTS); i++)
                if (granted_by[i] != 0) begin
                    several = granted_by[i] & multicast[i];
                    single = granted_by[i] & unicast[i];
                    if (match_multicast[i] || (several != 0 && (multicast_turn[i] || single == 0))) begin
                        match_multicast[i] = 1'b1;
                        accepted = several;
                    end else begin
                        accepted = single & accept_from[i];
                        if (accepted == 0) accepted = single;
                        accepted &= ~accepted + 1'b1;
                        if (round == 0) accept_next[i] = ~(accepted | (accepted - 1'b1));
                    end
                    taken[i] = 1'b1;
                    match[i] |= accepted;
                    output_taken |= accepted;
                    if (ISLIP && round == 0)
                        for (int o = 0; o < int'(OUTPUTS); o++)
                            if (accepted[o]) grant_next[o] = ALL_INPUTS << (i + 1);
                end
        end
    end

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            for (int o = 0; o < int'(OUTPUTS); o++) grant_from[o] <= '1;
            for (int i = 0; i < int'(INPUTS); i++) accept_from[i] <= '1;
            multicast_turn <= '0;
        end else begin
            for (int o = 0; o < int'(OUTPUTS); o++) grant_from[o] <= grant_next[o];
            for (int i = 0; i < int'(INPUTS); i++) begin
                accept_from[i] <= accept_next[i];
                if (taken[i] && match_multicast[i] == multicast_turn[i]) multicast_turn[i] <= !multicast_turn[i];
            end
        end
    end
endmodule
