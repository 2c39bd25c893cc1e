"""The errors that bad input raises: one family under `ValueError`."""


class ForeheadError(ValueError):
    """Say in one line what was expected, what came, and what to do."""


class CardError(ForeheadError):
    """Reject a card that the deck does not have or no longer has."""


class DeckError(ForeheadError):
    """Reject a deck state that no sequence of whole hands can leave."""


class ChipsError(ForeheadError):
    """Reject stacks, a carry or balances that the rules do not allow."""


class OptionError(ForeheadError):
    """Reject an unknown game, an unknown option, or a value out of its range."""


class HistoryError(ForeheadError):
    """Reject a history that the rules do not allow, or that the options of the game leave out.

    Parameters
    ----------
    message
        What is wrong.
    hint
        What would allow it, for who can choose the options of the game; added to the message.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message + hint)
        self.message = message
        self.hint = hint


class SizeError(ForeheadError):
    """Refuse work that would not fit into memory or is out of a method's reach."""


class SolutionFileError(ForeheadError):
    """Refuse a solution file that is damaged or foreign."""


class LogError(ForeheadError):
    """Refuse a match log, or a hand in it, that the rules do not allow, naming the line."""


class RunError(ForeheadError):
    """Say that work on good input failed, such as the proof of a solution."""


class UnprovedError(RunError):
    """Say that bounds could not be proved, which the same run would only find again."""


class VerificationError(RunError):
    """Say where a file claims what it does not give."""
