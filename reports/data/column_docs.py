"""The tables of a report: what each holds, column by column."""

SERIES_COLUMNS = ("stage", "cards_left", "value", "lower", "upper", "nash_conv", "value_to_you", "action", "share")

DOCUMENTED = {
    "strategy.csv": (
        "One row for each board, history, observation and action.",
        {
            "board": ("", "community cards or fronts; empty where the game has none"),
            "history": ("", "the actions so far; empty at the start of the hand"),
            "player": ("", "who acts: P1 (the first bettor) or P2"),
            "observation": ("", "what the player sees: the other's card, or in double-sided the own back"),
            "action": ("", "one of the legal actions"),
            "probability": ("0 to 1", "how often it is played here"),
            "ev": ("unit of the objective", "the player's expected value of it, chips counted from before the ante, "
                   "given that the hand has come here"),
            "own_reach": ("0 to 1", "probability that the player's own actions lead here"),
            "other_reach": ("0 to 1", "probability that the other's actions lead here, given the observation"),
            "reached": ("True or False", "whether both reaches are 0.001 or more"),
            "source": ("", "where the row comes from: solved, best response, re-solved, kept for safety or not known"),
        },
    ),
    "actions.csv": (
        "One row for each board, history and action: figures over all observations.",
        {
            "board": ("", "as above"),
            "history": ("", "as above"),
            "player": ("", "as above"),
            "pot": ("chips", "the pot, antes and carry included"),
            "to_call": ("chips", "what a call costs"),
            "reach": ("0 to 1", "probability that a hand of this board comes here"),
            "mean_ev": ("unit of the objective", "the player's expected value over all observations"),
            "action": ("", "as above"),
            "share": ("0 to 1", "how often it is played over all observations; where play never comes, over what is "
                      "believed there"),
        },
    ),
    "differences.csv": (
        "In a comparison: one row for each information set that both solutions have.",
        {
            "board": ("", "as above"),
            "history": ("", "as above"),
            "player": ("", "as above"),
            "observation": ("", "as above"),
            "distance": ("0 to 1", "half the sum of the differences of all probabilities"),
            "reach_a": ("0 to 1", "probability that a hand comes here with this observation in A; reach_b in B"),
            "reach_b": ("0 to 1", "see reach_a"),
            "top_a": ("", "the action played most in A; top_b in B"),
            "top_b": ("", "see top_a"),
            "ev_a": ("unit of the objective", "the player's expected value here in A; ev_b in B"),
            "ev_b": ("unit of the objective", "see ev_a"),
        },
    ),
    "hands.csv": (
        "Of a match log: one row for each hand, the coming one too where it is solved.",
        {
            "hand": ("", "its place in the match; of several solutions the folder with its number is of this hand"),
            "first": ("", "who bet first: me or opp"),
            "cards_left": ("cards", "in the deck before the deal"),
            "mine": ("", "my card; in double-sided front/back"),
            "theirs": ("", "the other's card; in double-sided with ? for a back that a fold kept hidden"),
            "board": ("", "community cards; empty where the game has none"),
            "my_chips_before": ("chips", "my stack before the hand; their_chips_before likewise"),
            "their_chips_before": ("chips", "see my_chips_before"),
            "carry_before": ("chips", "the pot carried over to the hand"),
            "history": ("", "the actions that were played"),
            "my_chips": ("chips", "my stack after the hand; their_chips likewise"),
            "their_chips": ("chips", "see my_chips"),
            "carry": ("chips", "the pot carried over to the next hand"),
            "value": ("unit of the objective", "of the hand to me, before it is played"),
            "lower": ("unit of the objective", "bound on that value; upper likewise"),
            "upper": ("unit of the objective", "see lower"),
            "nash_conv": ("unit of the objective", "of the hand's solution"),
        },
    ),
    "series.csv": (
        "In a series of hands: one row for each hand and opening action.",
        {
            "stage": ("", "which hand"),
            "cards_left": ("cards", "in the deck before the deal"),
            "value": ("unit of the objective", "to P1"),
            "lower": ("unit of the objective", "bound on the value of the game; upper likewise"),
            "upper": ("unit of the objective", "see lower"),
            "nash_conv": ("unit of the objective", "upper minus lower, less what the bounds of later hands add"),
            "value_to_you": ("unit of the objective", "to who asks, where a log or a seat says who"),
            "action": ("", "an opening"),
            "share": ("0 to 1", "how often P1 opens with it, over all deals and observations"),
        },
    ),
}  # fmt: skip
"""What the tables of a report hold: columns with their units and meanings."""
