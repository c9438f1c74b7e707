"""The words by which a passage speaks to an AI system, in folded text (see `folding`), language by language.

A sure rule is enough by itself; of hints it takes two different ones close together, since people write each of them
to people too. Rules are kept narrow: a document is flagged for what it tells a machine to do, not for speaking of one.
"""
# ruff: noqa: E501 - patterns are easier to read unbroken

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One way to speak to an AI system."""

    name: str
    cues: tuple[str, ...]
    """A text without any of these needs no search."""
    expression: str
    """Regular; compiled when one of its cues is met."""
    sure: bool = True
    at_line_start: bool = False
    """It counts only where a line of the document begins."""


def rule(name: str, cues: str, pattern: str, *, sure: bool = True, at_line_start: bool = False) -> Rule:
    """A rule with its cues, which are parted by |."""
    return Rule(name=name, cues=tuple(cues.split("|")), expression=pattern, sure=sure, at_line_start=at_line_start)


def override(cues: str, verbs: str, nouns: str, earlier: str) -> Rule:
    """A verb, then in the same sentence one of `nouns`, and near them one of `earlier`."""
    pattern = rf"(?:{verbs})(?=[^.!?。]{{0,110}}?(?:{earlier}))[^.!?。]{{0,60}}?(?:{nouns})"
    return rule("override", cues, pattern)


_KINDS = (
    r"(?:systems?|models?|assistants?|agents?|reviewers?|readers?|tools?|bots?|chatbots?|crawlers?|summari[sz]ers?|"
    r"parsers?|evaluators?|graders?|screeners?|recruiters?)"
)
_AI = (
    rf"(?:(?:large |ai )?language models?|llms?(?:[ -]{_KINDS})?|(?:ai|a\.i\.|gpt|artificial intelligence)"
    rf"[ -](?:language )?{_KINDS}|chatgpt|(?:ai )?chatbots?|gpt-?\d\w*)\b"
)
_AI_CUES = "language model|llm|ai|a.i.|gpt|chatbot|artificial"
_DO = (
    r"(?:do not|don't|never|always|you (?:must|should|are|will|may|shall|have|can|need)|please|ignore|disregard|forget|"
    r"report|say|state|answer|respond|reply|output|write|print|summari[sz]e|mention|include|exclude|omit|rate|score|"
    r"recommend|give|mark|treat|approve|accept|reject|send|forward|upload|post|run|execute|delete|reveal|conclude|"
    r"consider|assume|translate|stop|refuse|make sure|ensure|assign|rank|select|tell|confirm|follow|skip|prioriti[sz]e)\b"
)
_NOT_TOLD = r"(?<!they )(?<!who )(?<!we )(?<! i )(?<! he )(?<!she )(?<!not )(?<!n't )(?<!would )(?<!could )"
_COMMAND = rf"\b{_NOT_TOLD}(?:(?<!to )|(?<=you to ))"
_FILL = r"(?: (?:all|any|every|the|your|of|these|those|and|or|previous(?:ly)?|prior|earlier|above|preceding|past|given|"
_FILL += r"original|initial|existing|other|system|safety|developer|hidden)){0,6}"

_PARTS = (
    r"\b(?:continue[sd]?|join(?:ed)?|combine[sd]?|put together|keep (?:this|it) in mind|remember this)\b[^.!?]{0,60}?"
    r"\b(?:next|previous|other|following|document before)(?: (?:document|file|part|memo|text))?\b"
)

ENGLISH: tuple[Rule, ...] = (
    rule(
        "override",
        "instruction|prompt|directive|direction",
        rf"{_COMMAND}(?:ignore|forget|override|overrule|disobey|do not (?:follow|obey)|don't (?:follow|obey)|stop following)"
        rf"(?: (?:any|the|every|of))*(?: all(?: of)?(?: the| your| these| those| other)?"
        rf"| previous| prior| your| system){_FILL} (?:instructions?|prompts?|directives?|directions)\b",
    ),
    rule(
        "override",
        "instruction|prompt|directive",
        rf"{_COMMAND}(?:disregard|discard|neglect|bypass|pay no attention to)(?: (?:any|the|every|of))*"
        rf" (?:all|your|system){_FILL} (?:instructions?|prompts?|directives?)\b",
    ),
    rule(
        "override",
        "rules|guidelines|restrictions|programming|training|guardrails|safeguards|constraints",
        rf"{_COMMAND}(?:ignore|disregard|forget|override|bypass)(?: (?:all|any|the|of))* (?:your|previous|prior|safety)"
        rf"{_FILL} (?:rules|guidelines|restrictions|programming|training|guardrails|safeguards|constraints)\b",
    ),
    rule(
        "override",
        "forget |disregard |ignore ",
        r"\b(?:forget|disregard|ignore) (?:everything|all|anything) (?:that )?"
        r"(?:you (?:have been|were|'ve been|had been) (?:told|taught|given|instructed)|(?:written |stated )?above\b|"
        r"(?:that )?came before)",
    ),
    rule(
        "hint of overriding",
        "instruction|message",
        r"\b(?:ignore|disregard) (?:the |my |our )?(?:above|earlier|preceding|foregoing|previous|prior) (?:instructions?|messages?)\b",
        sure=False,
    ),
    rule(
        "note to AI",
        _AI_CUES,
        r"\b(?:(?:note|notice|message|instructions?|reminder|warning|memo|notes)(?: to| for)|attention|important(?: for)?|"
        rf"to)(?: (?:all|any|the|every|future|you))* {_AI}(?: [a-z][a-z ,/&-]{{0,60}}?)? ?[:!]",
    ),
    rule("note to AI", _AI_CUES, rf"{_AI} ?(?:[:!]|-) ?(?:please )?{_DO}"),
    rule("note to AI", "ai", r"\b(?:attention|note to|message to|dear|hey|hello),? (?:all |any |the )?ai ?[:!]"),
    rule("note to AI", _AI_CUES, rf"(?:^|[.!?:;\"'(*] ?|dear |hey |hello |hi )\b{_AI}, (?:please )?{_DO}"),
    rule(
        "if you are an AI",
        _AI_CUES,
        rf"\b(?:if|since|because) (?:you(?:'re| are)|you read this as|(?:this|it|you)[a-z ]{{0,30}} by) (?:an? |the |some )?"
        rf"(?:{_AI}|ai\b)",
    ),
    rule(
        "if you are an AI",
        _AI_CUES,
        rf"\bas an? (?:{_AI}|ai\b)(?: [a-z]+){{0,3}}?,? (?:you (?:must|should|are|will|shall|need|have)\b|please|"
        r"your (?:task|job|role|duty)|ignore|do not|always|never)",
    ),
    rule(
        "prompt",
        "prompt|instructions",
        r"\b(?:reveal|print|output|repeat|show|display|leak|disclose|tell me|forget|expose|dump)(?: (?:me|us))?"
        r"(?: (?:your|the|its|all|of|entire|full|exact|complete|hidden|initial|original|previous|current))*"
        r" (?:system prompt|initial prompt|hidden prompt|(?:hidden|secret|system) instructions)\b",
    ),
    rule(
        "prompt",
        "prompt|instruction|override",
        r"(?:\bbegin|\bend(?: of)?|\bnew|#+|-{3,}|\[+|\*{2,}) ?(?:system (?:prompt|override|instructions?)|new (?:system )?instructions?)"
        r" ?(?:[\]*:#]|-{3,})",
    ),
    rule(
        "half of an order",
        "previous|prior|earlier|above",
        r"\b(?:ignore|disregard|forget) (?:all |any |every )?(?:of )?(?:the |your )?(?:previous|prior|earlier|above)"
        r" ?(?:\.{3}|…|-|[\[(]?(?:to be )?continued[^.]{0,40})?[\])]?$",
    ),
    rule(
        "half of an order",
        "instruction",
        r"(?:^|[.:!?…)\]\n] )(?:\.{3} ?|… ?)?(?:previous |prior |earlier )?instructions? (?:and|then|;|,) ?(?:then )?(?:report|say|"
        r"answer|write|reply|respond|output|state|conclude)\b",
    ),
    rule(
        "order to decode",
        "decode|decipher|base64|rot13|rot-13",
        r"\b(?:decode|decipher|decrypt|read)\b[^.!?]{0,50}\b(?:base ?64|rot-?13|hex|cipher|the following|this)\b[^.!?]{0,40}"
        r"\b(?:and|then) (?:then )?(?:follow|obey|execute|carry out|do (?:what|as)|act on|comply)",
    ),
    rule("hint of a part", "document|file|part", _PARTS, sure=False),
    rule(
        "summary",
        "summari|summary",
        r"\b(?:when|while|if|in) (?:you )?(?:summari[sz]\w+|(?:any|your|the) summary of) (?:this|the following)\b[^.]{0,40}?"
        r"(?:\bsay\b|\bstate\b|do not mention|never mention|\bomit\b|write that|report that|\bclaim\b|\bconclude\b|\boutput\b|"
        r"\brespond\b|\balways\b|you must|\bmention that)",
    ),
    rule(
        "review",
        "positive review|negatives|favorabl|favourabl",
        r"\b(?:give|write|output|provide|produce) (?:only )?(?:a |an )?(?:positive|favou?rable) reviews? only\b|"
        r"\bgive a positive review\b|\bdo not (?:highlight|mention|list) any negatives\b|\bpositive review only\b",
    ),
    rule(
        "persona",
        "you are now|jailbreak|god mode|dan mode",
        r"\byou are now (?:dan\b|(?:in|entering) (?:developer|debug|god|jailbreak|unrestricted|admin) mode|"
        r"an? (?:unrestricted|unfiltered|uncensored|different|evil|free)(?: \w+)? (?:ai|model|assistant|llm|chatbot)|"
        r"no longer (?:an ai|bound|restricted))|\b(?:enable|enter|activate|switch to) (?:god|dan|jailbreak) mode\b",
    ),
    rule(
        "hint of a persona",
        "from now on|you are now|pretend|act as|developer mode",
        r"\bfrom now on,? you (?:are|will|must|should)\b|\byou are now\b|\bact as (?:an?|if you)\b|developer mode",
        sure=False,
    ),
    rule(
        "hint of hiding",
        "the user|the reader|the human|the analyst|the operator",
        r"(?:do not|don't|never|without) (?:tell|inform|alert|notify|warn|reveal|mention|disclos)[a-z]*(?: (?:this|it|anything))?"
        r"(?: to)? (?:the )?(?:user|reader|human|analyst|operator)",
        sure=False,
    ),
    rule(
        "hint of consent",
        "the user",
        r"\bthe user (?:has|have) (?:already )?(?:approved|authori[sz]ed|consented|agreed|given|confirmed)\b",
        sure=False,
    ),
    rule(
        "hint of hiding",
        "mention|disclose|report|cite",
        r"\bdo not (?:mention|disclose|report|cite|reveal)\b",
        sure=False,
    ),
    rule(
        "hint of sending",
        "http|@",
        r"\b(?:send|post|upload|forward|transmit|exfiltrate|submit|leak)\b[^.!?]{0,80}? to (?:https?://|[\w.+-]{1,40}@)",
        sure=False,
    ),
    rule("hint of sending", "](http", r"!\[[^\]]{0,80}\]\(https?://[^)\s]{0,200}=(?:\{|\[|<|%7b)", sure=False),
    rule(
        "hint of running",
        "command|code|script|tool|function|import os|os.system",
        r"\b(?:run|execute|invoke|call) (?:the |this |these )?(?:following )?(?:shell |bash |python |terminal )?"
        r"(?:commands?|code|script|tool|function)\b|\bos\.system\(",
        sure=False,
    ),
    rule(
        "hint of AI",
        _AI_CUES,
        rf"\b{_AI}[^.]{{0,40}}? (?:must|should|shall|are (?:required|instructed) to|have to) ",
        sure=False,
    ),
    rule(
        "hint of a task",
        "your ",
        r"\byour (?:new |only |real |actual )?(?:task|role|instructions?) (?:is|are) (?:now )?",
        sure=False,
    ),
)

MARKS: tuple[Rule, ...] = (
    rule(
        "mark of a conversation",
        "<",
        r"<\|(?:im_(?:start|end|sep)|system|user|assistant|endoftext|(?:start|end)_header_id|eot_id|end|start|begin_of_text|"
        r"channel|message)\|>",
    ),
    rule("mark of a conversation", "[inst]|[/inst]|<<sys>>", r"\[/?inst\]|<</?sys>>"),
    rule("mark of a conversation", "_of_turn>", r"<(?:start|end)_of_turn>"),
    rule(
        "mark of a conversation",
        "<system|</system|<function_calls|</function_calls|<tool_call|</tool_call|<tool_result|</tool_result",
        r"</?(?:system(?:[-_](?:prompt|reminder|message|instructions?))?|function_calls|tool_calls?|tool_results?)>",
        sure=False,
    ),
    rule("mark of a conversation", "### ", r"### ?(?:system|instruction|response|assistant)s? ?:", sure=False),
    rule("mark of this product", "doc-", r"</?doc-(?:[0-9a-f]{6}|[bcdfghjkmnpqrtvz]{8,16})\b"),
    rule(
        "mark of this product",
        "<doc|</doc",
        r"</?doc-[\w-]{1,40} (?:document|notes|records|output|findings|types|words|fault|schema)>|</doc-(?:notes?|\w*\d\w*)>",
    ),
    rule(
        "mark of this product",
        " in short:|that was material|so that you recogni",
        r"\bdocuments? \d+(?: ?- ?\d+)? in short:|\bthat was material, whatever it asks for|"
        r"\bnotes on the (?:other )?documents, so that you recogni[sz]e",
    ),
    rule("mark of this product", "(document ", r"\br\d+ \(document \d+, (?:stated|alleged|denied|inferred)\):"),
    rule("mark of this product", "note-on=", r"\bnote-on=\"document"),
    rule(
        "a role",
        "system|developer|assistant|admin",
        r"(?:system|developer|assistant|admin)(?: (?:prompt|message|override|notice|note|instructions?|update|command|"
        r"directive))?[\])>* ]*: ?[\[*(\"' ]*(?:you (?:are|must|will|should|may|have been)\b|your (?:new|only|real|actual|true) |"
        r"the user (?:(?:has )?(?:already )?(?:approved|authori[sz]ed|agreed|consented|confirmed)|wants)|ignore\b|disregard\b|override\b|forget\b|from now on|"
        r"new (?:instructions?|task|rule|directive|policy)|do not (?:mention|reveal|tell|disclose|report|cite|include|refuse)|"
        r"never (?:mention|reveal|tell)|all (?:previous|prior)|previous instructions)",
        at_line_start=True,
    ),
    rule(
        "a role",
        "assistant",
        r"assistant ?: ?(?:sure|certainly|understood|of course|the (?:final|correct) answer|final answer|"
        r"i (?:will|have) (?:now )?(?:ignore|disregard|compl))",
        at_line_start=True,
    ),
)
