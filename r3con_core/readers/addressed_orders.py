"""Orders to whatever machine reads a document, also where none is named, in folded text: see `addressed_words`.

Imitations of what passes between this product and a model are among them.
"""
# ruff: noqa: E501, RUF001 - patterns are easier to read unbroken, and letters of other scripts are meant

from r3con_core.readers.addressed_words import Rule, rule

_SAY = (
    r"(?:say|output|answer|reply|respond|print|write|conclude|state|report|return|record)(?: (?:back|only|just|exactly|with|that|as|instead))*"
    r" ?(?:[\"':]|\d|zero\b|null\b|nothing\b|no (?:records?|payments?|facts?)\b|only\b|ok\b|hacked\b|that\b|the (?:total|sum|final answer|answer|result)\b)"
)
"""To say something certain: "report to the office" and "record the number as printed" are no such order."""
_THIS = r"this (?:document|text|file|memo|page|e-?mail|mail|message|letter|table|record|note)"
_READING = r"(?:read|process|pars|index|summari[sz]|analy[sz]|extract|evaluat)(?:s|e|es|ing|ed)?"
_MODEL = r"(?:ai|a\.i\.|llm|language model|model|assistant|machine|chatbot)"

AN_ORDER = rule(
    "hint of an order",
    "answer|report|conclude|total|record|say|output|reply|print|write",
    rf"\b(?:please |must |only |just |then |and |instead ){_SAY}|(?:^|[.!?:;] ?){_SAY}",
    sure=False,
)
"""Common in any text: looked for only where there is another hint."""

ORDERS: tuple[Rule, ...] = (
    rule(
        "override",
        "task|question|assignment|objective",
        r"\b(?:ignore|disregard|forget|abandon) (?:your|the|this)(?: [a-z]+)? (?:task|question|assignment|objective)s?\b[ .,;:]*(?:and |then |but )?"
        rf"(?:instead\b|only\b|just\b|{_SAY})",
    ),
    rule(
        "override",
        "above",
        rf"\b(?:ignore|disregard|forget) (?:all (?:of )?|everything )?(?:the )?above\b[^.!?]{{0,12}}\b(?:and|then|instead)\b ?(?:just |only |instead )?{_SAY}",
    ),
    rule(
        "override",
        "system message|developer message|system prompt|system rules|system instructions",
        r"\b(?:ignore|disregard|forget|bypass) (?:the|your|any|all)(?: \w+)? (?:system|developer) (?:message|prompt|instructions?|rules?)\b",
    ),
    rule(
        "new task",
        "new task|new instruction|new objective|new rule|new goal",
        rf"\bnew (?:tasks?|instructions?|objectives?|rules?|goals?) ?: ?(?:you (?:must|will|should)\b|ignore\b|disregard\b|{_SAY})",
    ),
    rule(
        "a role",
        "[system|<system|<<sys|**system|[admin|[developer",
        r"(?:\[+|<+|\*\*) ?(?:system|developer|admin)(?: (?:message|override|note|prompt))? ?(?:\]+|>+|\*\*) ?:? ?(?:new (?:instruction|task|rule)|you (?:must|are|will)\b|"
        rf"your\b|ignore\b|disregard\b|override\b|{_SAY})",
    ),
    rule(
        "a role",
        "system override",
        rf"\bsystem override ?[:!] ?(?:ignore|disregard|you\b|new\b|treat\b|{_SAY})",
    ),
    rule("a role", "system", rf"system ?: ?{_SAY}", at_line_start=True),
    rule(
        "a role",
        "assistant",
        rf"\bassistant,? (?:please|you must|you will|you should|kindly) {_SAY}",
    ),
    rule(
        "mark of a conversation",
        "</instr|</syst|</assis|</user|</devel",
        r"<(system|assistant|user|instructions?|developer)>(?=[^<]{0,200}?\b(?:say|report|answer|ignore|output|you|respond|reply|print|write|do not|must)\b)[^<]{1,300}</\1>",
    ),
    rule("mark of a conversation", '"role"', r"\"role\" ?: ?\"(?:system|developer)\" ?, ?\"content\" ?: ?\""),
    rule("mark of a conversation", "human", r"(?<![a-z] )\bhuman ?: [^:]{1,200}?\bassistant ?: ?\S"),
    rule(
        "mark of a conversation",
        "###",
        rf"### ?(?:system|instructions?|response|assistant) ?:? ?(?:ignore\b|you (?:must|are|will)\b|{_SAY})",
    ),
    rule(
        "to who reads it",
        "automat|machine|algorithm|ai |pipeline",
        r"\b(?:automated|automatic|machine|algorithmic|ai)(?: (?:systems?|readers?|pipelines?|tools?|processors?|agents?|models?|summari[sz]ers?|extractors?))?"
        rf" (?:that |which )?{_READING} {_THIS}\b[^.!?]{{0,20}}?(?: must| should| shall| will| are to| is to| has to| have to|[:,])",
    ),
    rule(
        "to who reads it",
        "automat|pipeline|machine|model|llm",
        rf"\bif you are {_READING}\b[^.!?]{{0,40}}?\b(?:automated|automatically|pipeline|machine|model|llm|ai)\b",
    ),
    rule(
        "to who reads it",
        "this ",
        rf"\bwhen (?:you )?(?:extract|pars|process|summari[sz]|analy[sz])(?:e|ing)?\b[^.!?]{{0,30}}?\b{_THIS},? (?:always |never |please |only )?(?:set|report|record|answer|"
        r"put|fill|omit|leave out|do not|state|say|treat|return|output)\b",
    ),
    rule(
        "to who reads it",
        "from this ",
        rf"\b(?:do not|never|don't) (?:extract|parse|index|record|note|take)(?: down)? (?:any |the )?(?:records?|facts?|data|information|payments?|events?) from {_THIS}",
    ),
    rule(
        "note to AI",
        "ai|llm|model|machine|assistant",
        rf"\b(?:to|for) (?:the|any|every|all) {_MODEL}s? (?:that |which |who )?(?:is |are )?{_READING}\b|\bas the {_MODEL}(?: {_READING}[^,.]{{0,30}})?,? you (?:will|must|should|shall|are)\b|"
        r"\b(?:dear|hello|hey) (?:ai|llm|model|machine)[,!:]|\bnote to the (?:reader |reading )?(?:model|ai|llm) ?[:,]",
    ),
    rule(
        "note to AI",
        "llm|ai|gpt",
        r"(?:^|[.!?:;\[(*#>-] ?)(?:llm|ai|gpt|chatgpt) (?:instructions?|prompts?|directives?|commands?|override) ?:",
    ),
    rule("note to AI", "prompt", r"\bprompt ?: ?(?:ignore|disregard|forget|you are|act as)\b"),
    rule("persona", "jailbroken", r"\byou (?:have been|are)(?: now)? jailbroken\b"),
    rule("hint of a persona", "you are ", rf"\byou are (?:an?|the)(?: [a-z]+)? {_MODEL}\b", sure=False),
    rule(
        "answer to a task",
        "answer to ",
        r"\bthe (?:final|correct|right|true|only) answer to (?:the|your|this) (?:task|analyst's (?:task|question)|user's question) (?:is|must be|shall be)\b",
    ),
    rule(
        "hint of other documents",
        "other|rest|collection|above",
        r"\b(?:ignore|disregard|do not (?:use|read|consider|trust|rely on)|skip|forget) (?:what |everything (?:else )?(?:in )?|all )?(?:of )?(?:the |this |these )?"
        r"(?:other (?:documents?|files?|notes|records|texts?)|rest of the (?:documents?|files?|collection)|collection|(?:documents?|text|notes) above)\b",
        sure=False,
    ),
    rule(
        "imitation of a prompt",
        "json|reply",
        r"\breply with (?:compact )?json(?: only)?\b|\b(?:your last|this) (?:reply|turn) (?:was refused|cannot be used|could not be used)\b",
    ),
    rule(
        "imitation of a reply",
        '"|answer(',
        r"\"(?:record_types|keep_if|document_is|said_by|row_is)\" ?:|\banswer\( ?f?[\"'][^\"']{1,400}[\"'] ?,",
    ),
    # Other languages
    rule(
        "override",
        "consigne|instruction",
        r"\bignore[zr]? (?:les |toutes les |ces |vos |tes )?(?:consignes|instructions)\b[^.!?]{0,10}\bet (?:repond|dire|dis|dites|indiqu|ecri)",
    ),
    rule(
        "override",
        "auftrag|aufgabe",
        r"\b(?:ignorier|vergiss|vergessen sie|missacht)\w* (?:den|deinen|ihren|die|deine|ihre) (?:auftrag|aufgabe)\b[^.!?]{0,10}\b(?:melde|antwort|schreib|gib|sag)",
    ),
    rule(
        "hint of a persona",
        "ab jetzt|ab sofort",
        r"\bab (?:jetzt|sofort) (?:antwort|meld|schreib|gib)\w*(?: du| sie)? (?:nur|ausschliesslich|immer) (?:mit|noch)\b",
    ),
    rule("override", "任务|任務", r"(?:忘记|忘記|忘掉|忽略|无视|無視)(?:你的|原来的|當前的|当前的)?(?:任务|任務)"),
    rule(
        "persona",
        "从现在|從現在",
        r"(?:从现在|從現在)(?:起|开始|開始),?(?:你|您)(?:只能|必须|必須|要|将)(?:回答|输出|扮演|是)",
    ),
    rule("a role", "系统|系統", r"(?:系统|系統) ?: ?(?:请|請)?(?:输出|回答|忽略|报告|輸出|報告)"),
    rule("override", "задач", r"\bзабудь\w* (?:о )?(?:свою|своеи|твою|твоеи|эту) задач\w*"),
    rule("persona", "с этого момента", r"\bс этого момента (?:ты |вы )?(?:отвечаи|пиши|выводи)\w*"),
    rule("override", "مهمت|المهمه", r"(?:انس|تجاهل) (?:مهمت|المهمه)"),
    rule("persona", "من الان فصاعدا", r"من الان فصاعدا,?،? ?(?:اجب|اكتب|قل)"),
)
