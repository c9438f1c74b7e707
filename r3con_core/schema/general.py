"""The schema that is offered where a model gives none: things that happened, for a person to fit to the question."""

from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema

GENERAL_SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Event",
            meaning="one thing that happened or was said to happen",
            fields=(
                Field(name="what", meaning="what happened, in a few words", kind=Scalar()),
                Field(name="who", meaning="the person or thing that did it", kind=Scalar()),
                Field(name="to_whom", meaning="the person or thing it was done to", kind=Scalar()),
                Field(name="place", meaning="where", kind=Scalar()),
                Field(name="day", meaning="when", kind=Scalar(of=ScalarType.DATE)),
                Field(name="amount", meaning="how much or how many", kind=Scalar(of=ScalarType.NUMBER)),
                Field(name="unit", meaning="of what the amount is", kind=Scalar()),
            ),
        ),
    )
)
