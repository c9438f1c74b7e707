"""Every exception the core raises, one branch per who must act.

R3ConError
├── CorpusError              the analyst: a file or folder cannot be used
├── SchemaError              the analyst or the model: a schema or an edit of it is not valid
├── CorrectionError          the analyst: what is given for a record cannot be one
├── QueryError               the analyst: a query does not make sense for these records
├── ModelError               whoever set the endpoint: change it, or try again
│   ├── EndpointError        the address, key or model name is wrong, or nobody answers
│   │   └── EgressError      something in this program wanted to connect where nobody said it may
│   ├── BusyError            rate limit, 5xx or a dropped connection, after all retries
│   ├── RefusedError         the endpoint would not answer this prompt (content filter)
│   │   ├── HeldBackError    the analyst held the document back, so it was not sent
│   │   └── HeldRecordError  a record that a person wrote tells of a document that is held back
│   ├── WindowExceededError  the prompt is longer than the model's context window
│   └── ModelFileError       a local model file is missing, damaged or cannot be fetched
├── ReplyError               the model: its reply cannot be read; `fault` goes back to it
├── NoUsableReplyError       a reply stayed unreadable after all attempts
├── SandboxError             generated code cannot be run safely on this machine
├── StoreError               the project's file cannot be read or written
├── TeamError                whoever opened the app to a team: settings or users cannot be used
├── LimitReachedError        the analyst: the run has used what it may; raise its cap or leave it
└── StoppedError             the analyst pressed stop
    └── WithheldError        what goes on would send what came of a document that was held back meanwhile
"""


class R3ConError(Exception):
    """Base of all of them; its text is a plain sentence for the person at the screen."""


class CorpusError(R3ConError):
    """A file, folder or corpus that cannot be used."""


class SchemaError(R3ConError):
    """A schema, or an edit of one, that is not valid; `path` says where."""

    def __init__(self, fault: str, path: tuple[str, ...] = ()) -> None:
        where = f"{'.'.join(path)}: " if path else ""
        super().__init__(f"{where}{fault}")
        self.fault, self.path = fault, path


class CorrectionError(R3ConError):
    """What a person gives for a record cannot be one; it says why."""


class QueryError(R3ConError):
    """A query that makes no sense, or none for this schema; it says why."""


class ModelError(R3ConError):
    """The endpoint did not give a reply."""


class EndpointError(ModelError):
    """The address, key or model name is wrong, or nobody answers there."""


class EgressError(EndpointError, OSError):
    """A connection to a place that nobody admitted; an OSError too, so that libraries take it for a network that is down."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"A connection to {place} was refused: this program connects only to the model that was chosen, and to the "
            "sources of a model or a book when asked for one."
        )
        self.place = place


class BusyError(ModelError):
    """The endpoint stayed overloaded or unreachable after every retry."""


class RefusedError(ModelError):
    """The endpoint would not answer this prompt."""


HELD_BACK = "It is held back from every model now, so it was not sent. Release it to have it read."
"""Kept with runs as why a document was not read, and known again by it; never reworded."""


class HeldBackError(RefusedError):
    """The document was held back after its run began; it is sent to no model."""

    def __init__(self) -> None:
        super().__init__(HELD_BACK)


class HeldRecordError(RefusedError):
    """A record that a person wrote tells of a document that is held back by now."""

    def __init__(self) -> None:
        super().__init__(
            "A record that a person added or corrected tells of a document that is held back now, so nothing was sent. "
            "Take that change back, or release the document; then resume."
        )


class WindowExceededError(ModelError):
    """The prompt does not fit the model's context window."""

    def __init__(self, window: int | None) -> None:
        size = f"of {window:,} tokens " if window else ""
        super().__init__(
            f"The text sent is longer than the model's context window {size}allows. "
            "Set a smaller window for this model so that documents are read in parts, or choose a larger model."
        )
        self.window = window


class ModelFileError(ModelError):
    """A local model file is missing, damaged or cannot be fetched."""


class ReplyError(R3ConError):
    """A model's reply cannot be read; `fault` is what the model is told."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


class NoUsableReplyError(R3ConError):
    """A stage's replies stayed unreadable."""

    def __init__(self, stage: str, attempts: int, fault: str) -> None:
        super().__init__(f"The model gave no usable {stage} reply in {attempts} attempts. The last fault: {fault}")
        self.stage, self.attempts, self.fault = stage, attempts, fault


class SandboxError(R3ConError):
    """Generated code cannot be run safely on this machine."""


class StoreError(R3ConError):
    """The project's file cannot be read or written."""


class TeamError(R3ConError):
    """The app cannot be opened to a team like this, or its users cannot be read."""


class StoppedError(R3ConError):
    """The analyst asked the run to stop."""

    def __init__(self, text: str = "Stopped. Everything finished so far is kept; resume to go on.") -> None:
        super().__init__(text)


class WithheldError(StoppedError):
    """A prompt holds what came of a document that was held back while the run was at work; it was not sent."""

    def __init__(self) -> None:
        super().__init__(
            "Stopped: a document was held back while the run was at work, and the next prompt would have held a snippet "
            "or record of it. Nothing of it was sent since. Resume to go on without it; what it touched is read again."
        )


class LimitReachedError(R3ConError):
    """A run has used the money or the tokens it may."""

    def __init__(self, spent: str, cap: str) -> None:
        super().__init__(
            f"Paused: {spent} of at most {cap} are used. Everything finished is kept; raise the limit to go on."
        )
        self.spent, self.cap = spent, cap
