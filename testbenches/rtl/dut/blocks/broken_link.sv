// A link whose lines are one beat, with a queue of four from either end, and something wrong about line 7 from end 0.
module broken_link (
    // What is wrong. A pin, tied by the map: one block for all. 1: dropped, 2: doubled, 3: a bit altered, 4: after the next, 5: out at its own end, 6: the last that goes out;
    // 7: the pace hangs on bits that no reset sets, 8: its own assertion fails, 9: it goes out `pause` clocks late, 10: it is never idle
    input  logic [3:0] fault,
    input  logic [31:0] pause,
    input  logic clk,
    input  logic rst,
    input  logic [1:0] s_valid,
    output logic [1:0] s_ready,
    input  logic [1:0][639:0] s_data,
    output logic [1:0] m_valid,
    input  logic [1:0] m_ready,
    output logic [1:0][639:0] m_data,
    output logic idle
);
    logic [1:0] given, taken, hit, empty;
    logic [1:0][639:0] head;

    for (genvar e = 0; e < 2; e++) begin : from
        logic [3:0][639:0] places;
        logic [2:0] count;
        logic [7:0] number;  // of the line at the head
        logic [3:0] age;
        logic [3:0] hold;
        logic [31:0] paused; // clocks of line 7 at the head
        logic again;         // the head has gone out once
        logic dropped, push, pop;

        assign hit[e] = e == 0 && number == 7;
        assign empty[e] = count == 0;
        assign s_ready[e] = count != 4 && !(fault == 6 && e == 0 && number >= 7);
        assign head[e] = fault == 4 && hit[e] ? places[1] : fault == 3 && hit[e] ? places[0] ^ (640'(1) << 200) : places[0];
        assign dropped = fault == 1 && hit[e] && count != 0;
        assign given[e] = !dropped && count > ((fault == 4 && hit[e]) ? 3'd1 : 3'd0) && !(fault == 7 && age < hold) &&
            !(fault == 9 && hit[e] && paused < pause);
        assign push = s_valid[e] && s_ready[e];
        assign pop = dropped || (given[e] && taken[e] && !(fault == 2 && hit[e] && !again));
        always_ff @(posedge clk) begin
            hold <= hold;
            if (rst) {count, number, again, age, paused} <= '0;
            else begin
                paused <= paused + 32'(hit[e] && count != 0);
                age <= pop || count == 0 ? '0 : age + 4'(age != 15);
                count <= count + 3'(push) - 3'(pop);
                number <= number + 8'(pop);
                again <= given[e] && taken[e] && !pop;
                if (pop) begin
                    places[2:1] <= places[3:2];
                    if (!(fault == 4 && hit[e])) places[0] <= places[1];
                end
                if (push) places[2'(count - 3'(pop))] <= s_data[e];
                if (fault == 8 && hit[e]) $error("line 7 has come");
            end
        end
    end

    always_comb begin
        m_valid = {given[0], given[1]};
        m_data = {head[0], head[1]};
        taken = {m_ready[0], m_ready[1]};
        if (fault == 5 && hit[0] && given[0]) begin
            m_valid = 2'b01;
            m_data[0] = head[0];
            taken = {1'b0, m_ready[0]};
        end
    end
    assign idle = &empty && fault != 10;
endmodule
