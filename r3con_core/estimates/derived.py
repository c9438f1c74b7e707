"""What a run that begins from another will ask: the estimate of a whole run, less what it keeps."""

from collections.abc import Sequence

from r3con_core.estimates.estimate import Estimate, estimate_run
from r3con_core.estimates.figures import Calibration
from r3con_core.exchange import Stage
from r3con_core.figures import StageEstimate
from r3con_core.relations import Relation, kept_by
from r3con_core.runs import RunSettings

_READING = frozenset({Stage.RELEVANCE, Stage.PARSING})
_ADDS = frozenset({Relation.ALL_AGAIN, Relation.ADDED_ONLY})


def estimate_derived(
    relation: Relation, document_tokens: Sequence[int], kept: int, settings: RunSettings, known: Calibration
) -> Estimate:
    """For documents of these lengths, of which the first `kept` are those of the run it begins from.

    A schema that is offered or kept is not proposed again. The first round of documents that were read before comes from
    the call log; later ones are counted as read again where they see snippets of added documents.
    """
    whole = estimate_run(document_tokens, settings, known)
    before = estimate_run(document_tokens[:kept], settings, known).parts if relation in _ADDS else ()
    known_before = {(part.stage, part.round): part for part in before}
    asked = [_left(relation, part, known_before.get((part.stage, part.round))) for part in whole.parts]
    return Estimate(parts=tuple(part for part in asked if part is not None))


def _left(relation: Relation, part: StageEstimate, before: StageEstimate | None) -> StageEstimate | None:
    """What of one stage is asked; None where all of it is kept."""
    kept = kept_by(relation)
    adds = relation in _ADDS
    if part.stage is Stage.SCHEMA and kept.schema:
        return None
    if part.stage is Stage.FOCUS and (kept.snippets or adds):
        return None
    if part.stage in _READING and adds and before is not None:
        only_added = relation is Relation.ADDED_ONLY or part.round == 1
        return part.without(round(before.first.likely)) if only_added else part
    if part.stage in (Stage.RELEVANCE, Stage.DIGEST) and kept.snippets and not adds:
        return None
    return None if part.stage is Stage.PARSING and kept.records and not adds else part
