"""Passages to AI systems in other languages than English: commands to drop instructions, and those that say to whom."""
# ruff: noqa: E501, RUF001 - patterns are easier to read unbroken, and letters of other scripts are meant

from r3con_core.readers.addressed_words import Rule, override, rule


def _named(cues: str, *patterns: str) -> Rule:
    """A passage that says it speaks to an AI system."""
    return rule("note to AI", cues, "|".join(patterns))


OTHER_LANGUAGES: tuple[Rule, ...] = (
    # German
    override(
        "anweisung|instruktion|vorgabe|prompt|befehl",
        r"\bignorier(?:e|en sie|t)\b|\bmissachte(?:n sie)?\b|\bvergiss\b|\bvergessen sie\b|\bbeachte(?:n sie)? (?:keine|nicht)",
        r"anweisung|instruktion|vorgabe|prompt|befehl",
        r"alle|samtliche|vorherige|vorige|bisherige|fruhere|obige|vorangegangene|vorangehende|ursprungliche|deine",
    ),
    _named(
        "ki|sprachmodell|llm|chatbot|intelligenz",
        r"\b(?:hinweis|nachricht|anweisung(?:en)?|achtung|mitteilung|notiz|wichtig)(?: an| fur)?(?: die| alle| jede| das)* "
        r"(?:ki|k\.i\.|kunstlichen? intelligenz(?:en)?|llms?|(?:grosse )?sprachmodelle?|chatbots?)(?:-\w+)?[^.:!]{0,30}[:!]",
        r"\b(?:wenn|falls) (?:du|sie|ihr) (?:eine? )?(?:ki|kunstliche intelligenz|sprachmodell|llm|chatbot)\b",
        r"\bals (?:ki|kunstliche intelligenz|(?:grosses )?sprachmodell|llm|chatbot)[\w -]{0,30}?,? (?:musst|sollst|darfst|"
        r"solltest|mussen|sollten|durfen) (?:du|sie)\b",
        r"\b(?:ki-(?:assistent|system|modell|agent)(?:en|e)?|sprachmodelle?) ?[:,!] ?(?:bitte|erwahne|nenne|ignorier|antworte|"
        r"schreib|sage?|melde|bericht|gib|verschweig|fasse|sende|fuhre?|du )",
    ),
    # French
    override(
        "instruction|consigne|directive|prompt",
        r"\bignore[zr]?\b|\boublie[zr]?\b|\bne (?:tiens|tenez) (?:pas |aucun )?compte|\bne (?:suis|suivez) (?:pas|plus)\b",
        r"instructions?\b|consignes?\b|directives?\b|prompts?\b",
        r"toutes?\b|tous\b|precedent|anterieur|ci-dessus|initiale|vos\b|tes\b",
    ),
    _named(
        "ia|langage|llm|artificielle|chatbot",
        r"\b(?:note|message|instructions?|attention|avis|consignes?)(?: aux?| pour| destinee?s? aux?| a)?(?: les| l'| tou[ts]e?s?)* ?"
        r"(?:ia\b|intelligences? artificielles?|llms?\b|modeles? (?:de langage|d'ia)|systemes? d'(?:ia|intelligence)|"
        r"assistants? (?:ia|d'ia)|chatbots?)[^.:!]{0,30}[:!]",
        r"\bsi (?:tu es|vous etes) (?:une? )?(?:ia\b|intelligence artificielle|llm\b|(?:grand )?modele de langage|chatbot)",
        r"\ben tant qu(?:e |')(?:ia\b|intelligence artificielle|modele de langage|llm|assistant ia)[^.]{0,30}?(?:tu dois|vous devez)",
        r"\b(?:assistants? (?:ia|d'ia)|modeles? de langage) ?[:,!] ?(?:veuillez|ne |n'|ignore|mentionne|repond|indique|dites|dis )",
    ),
    # Spanish and Portuguese
    override(
        "instrucc|instruco|indicacion|ordenes|prompt|comando|directrices",
        r"\bignor(?:a|e|en|ad|ar)\b|\bolvid(?:a|e|en)\b|\besque(?:ca|cam|ce)\b|\bdesconsider(?:a|e|em)\b|\bdesatiend[ae]\b|"
        r"\bno (?:sigas|siga|hagas caso)\b|\bhaz caso omiso\b|\bnao (?:siga|sigas)\b",
        r"instruccion(?:es)?\b|instruco?es\b|instrucoes\b|indicacion(?:es)?\b|ordenes\b|prompts?\b|comandos?\b|directrices\b",
        r"tod[ao]s\b|anterior|previ[ao]s|arriba|acima|tus\b|suas\b|sus\b",
    ),
    _named(
        "ia|lenguaje|linguagem|llm|artificial|chatbot",
        r"\b(?:nota|mensaje|mensagem|instruccion(?:es)?|instrucoes|atencion|atencao|aviso)(?: a| para| aos?| as)?"
        r"(?: los| las| la| el| todos| os| todas)* ?(?:ias?\b|(?:sistemas?|modelos?|asistentes?|assistentes?) de "
        r"(?:ia|lenguaje|linguagem|inteligencia artificial)|llms?\b|inteligencias? artificia(?:l|les|is)|chatbots?)[^.:!]{0,30}[:!]",
        r"\bs[ie] (?:eres|usted es|es usted|voce (?:e|for)|tu es) (?:una? |uma? )?(?:ia\b|inteligencia artificial|llm\b|"
        r"modelo de (?:lenguaje|linguagem)|chatbot)",
        r"\bcomo (?:una? |uma? )?(?:ia|inteligencia artificial|modelo de (?:lenguaje|linguagem)|llm|asistente de ia)\b[^.]{0,30}?"
        r"(?:debes|debe|tienes que|voce deve|deve)\b",
        r"\b(?:a?ssistentes? de ia|asistentes? de ia|modelos? de (?:lenguaje|linguagem)) ?[:,!] ?"
        r"(?:por favor|no |nao |ignor|mencion|respond|diga|di )",
    ),
    # Italian
    override(
        "istruzion|direttiv|indicazioni|comandi|prompt",
        r"\bignor(?:a|i|ate|are)\b|\bdimentic(?:a|hi|ate)\b|\bnon (?:seguire|seguite|segua|tenere conto)\b|\btrascura(?:te)?\b",
        r"istruzion[ei]\b|direttiv[ae]\b|indicazioni\b|comandi\b|prompt\b",
        r"tutt[ei]\b|precedent|anterior|di cui sopra|iniziali|tue\b|vostre\b",
    ),
    _named(
        "ia|ai|linguistic|llm|artificiale|chatbot",
        r"\b(?:nota|messaggio|istruzion[ei]|attenzione|avviso)(?: ai| a| per| agli| alle?)?(?: i| gli| le| l'| tutt[ei])* ?"
        r"(?:ia\b|sistemi (?:di )?(?:ia|ai)\b|modell[io] linguistic[io]|assistent[ei] (?:ia|ai)\b|llm\b|intelligenz[ae] artificial[ei]|"
        r"chatbot)[^.:!]{0,30}[:!]",
        r"\bse (?:sei|siete|lei e) (?:un'|un |una )?(?:ia\b|ai\b|intelligenza artificiale|llm\b|modello linguistico|chatbot)",
        r"\b(?:in quanto|come) (?:ia|ai|intelligenza artificiale|modello linguistico|llm)\b[^.]{0,30}?(?:devi|dovete|deve)\b",
        r"\b(?:assistent[ei] (?:ia|ai)|modell[io] linguistic[io]) ?[:,!] ?(?:non |per favore|ignora|rispond|menziona|scriv)",
    ),
    # Dutch
    override(
        "instructie|opdrachten|aanwijzingen|prompt|richtlijnen",
        r"\bnegeer\b|\bvergeet\b|\bnegeert u\b|\bvolg (?:geen|niet)\b",
        r"instructies?\b|opdrachten\b|aanwijzingen\b|prompts?\b|richtlijnen\b",
        r"alle\b|eerdere|vorige|voorgaande|bovenstaande|jouw\b|je\b",
    ),
    _named(
        "ai|taalmodel|llm|kunstmatige",
        r"\b(?:opmerking|bericht|instructies?|let op|mededeling|notitie)(?: aan| voor)?(?: alle| de)* ?(?:ai-\w+|ai\b|llm'?s?\b|"
        r"taalmodel(?:len)?|kunstmatige intelligentie)[^.:!]{0,30}[:!]",
        r"\b(?:als|indien) (?:je|u|jij) (?:een )?(?:ai\b|ai-\w+|llm\b|taalmodel|chatbot|kunstmatige)",
        r"\bals (?:ai|ai-\w+|taalmodel|llm)\b[^.]{0,20}?(?:moet|dient) (?:je|u)\b",
        r"\b(?:ai-(?:assistent|model|systeem)(?:en)?|taalmodel(?:len)?) ?[:,!] ?(?:noem|vermeld|negeer|antwoord|schrijf|gelieve|je )",
    ),
    # Polish, Swedish, Turkish
    override(
        "instrukcj|polecen|prompt",
        r"\b(?:zignoruj|ignoruj|zapomnij|pomin)\w*",
        r"instrukcj|polecen|prompt",
        r"wszystkie|poprzedni|wczesniejsz|powyzsz",
    ),
    override(
        "instruktion|prompt|anvisning",
        r"\b(?:ignorera|bortse fran|glom)\b",
        r"instruktion|prompt|anvisning",
        r"alla|tidigare|foregaende|ovanstaende",
    ),
    rule(
        "override",
        "talimat|komut|yonerge",
        r"(?:onceki|yukaridaki|tum|butun)[^.!?]{0,30}(?:talimat|komut|yonerge)\w*[^.!?]{0,20}(?:yok say|gormezden gel|unut)",
    ),
    # Russian and Ukrainian
    override(
        "инструкци|указани|команд|промпт|вказівк|інструкці",
        r"\b(?:про)?игнорируи\w*|\bзабудь\w*|\b(?:про)?ігноруи\w*|\bне (?:выполняи|следуи|обращаи)\w*",
        r"инструкци|указани|команд|промпт|вказівк|інструкці|іструкці",
        r"все|предыдущ|прежн|вышеуказанн|ранее|попередн|усі|всі",
    ),
    _named(
        "ии|неиросет|llm|языков|искусственн",
        r"\b(?:внимание|примечание|сообщение|инструкци[яи]|указани[ея]|обращение|важно)[^.:!]{0,20}\b(?:ии|ии-\w+|неиросет\w+|llm|"
        r"языков\w+ модел\w+|искусственн\w+ интеллект\w*)\b[^.:!]{0,30}[:!]",
        r"\bесли (?:ты|вы)(?: -)? (?:ии\b|ии-\w+|искусственныи интеллект|языковая модель|llm|чат-?бот|неиросеть)",
        r"\bкак (?:ии|ии-\w+|языковая модель|искусственныи интеллект|llm)\b[^.]{0,20}?(?:ты должен|вы должны|ты должна)",
    ),
    # Arabic, Persian, Hebrew
    override(
        "تعليمات|الاوامر|التوجيهات",
        r"تجاهل|انس[ىي]? |لا تتبع",
        r"التعليمات|الاوامر|التوجيهات|تعليمات",
        r"السابق|اعلاه|جميع|كل|كافه",
    ),
    _named(
        "الاصطناعي|اصطناعي|نموذج|النماذج|نماذج",
        r"(?:ملاحظه|تنبيه|رساله|تعليمات|انتباه)[^.:!]{0,25}(?:الذكاء الاصطناعي|النماذج اللغويه|نماذج اللغه)[^.:!]{0,25}[:!]",
        r"(?:اذا|ان) كنت [^.:]{0,20}(?:ذكاء اصطناعي|نموذجا? لغو?ي|نموذجا? للغه|مساعدا? ذكي)",
    ),
    rule("override", "دستور", r"دستور[^.!?]{0,40}(?:قبلي|بالا)[^.!?]{0,30}(?:ناديده|فراموش)"),
    override(
        "הוראות|הנחיות|הפקודות",
        r"התעל(?:ם|מו)|תתעל(?:ם|מו)|שכחו? |תשכחו? ",
        r"הוראות|ההנחיות|הנחיות|הפקודות",
        r"קודמות|לעיל|כל",
    ),
    _named(
        "בינה מלאכותית|מודל שפה|מודלי שפה",
        r"(?:הערה|הודעה|הוראות|לתשומת לב)[^.:!]{0,20}(?:בינה מלאכותית|מודלי? שפה)[^.:!]{0,20}[:!]",
        r"אם (?:אתה|את) [^.:]{0,12}(?:בינה מלאכותית|מודל שפה)",
    ),
    # Hindi
    rule("override", "निर्देश", r"(?:पिछले|सभी|पूर्व|पहले)[^.।]{0,30}निर्देश[^.।]{0,30}(?:अनदेखा|नजरअंदाज|नज़रअंदाज|भूल)"),
    # Chinese, Japanese, Korean
    override(
        "指令|指示|提示|命令",
        r"忽略|无视|無視|忘记|忘記|忘掉|不要(?:理会|遵守|遵循|执行)|不要(?:理會|遵守|遵循|執行)",
        r"指令|指示|提示词|提示詞|命令|系统提示|系統提示",
        r"所有|之前|以上|先前|前面|此前|上述|一切|全部",
    ),
    _named(
        "ai|人工智能|人工智慧|语言模型|語言模型|大模型|llm",
        r"(?:致|给|給|注意|提示|告知|提醒|写给|請|请)[^。:!,\n]{0,6}(?:ai|人工智能|人工智慧|语言模型|語言模型|大模型|llm)[^。:!,]{0,10}[:!,]",
        r"如果(?:你|您)是[^。,]{0,8}(?:ai|人工智能|人工智慧|语言模型|語言模型|大模型|llm)",
        r"作为(?:一个|一名)?(?:ai|人工智能|(?:大型?)?语言模型|llm)[^。,]{0,6},?(?:你|您)(?:必须|应该|应当|需要|不得|要)",
        r"(?:ai|人工智能)(?:助手|系统|模型|審查|审稿人?)[:,!] ?(?:请|不要|你|忽略|必须|務必|务必)",
    ),
    rule(
        "override",
        "指示|命令|プロンプト|指令",
        r"(?:これまで|以前|上記|すべて|全て|前|今まで|先)[^。]{0,14}(?:指示|命令|プロンプト|指令)[^。]{0,8}(?:無視|忘れ|破棄)",
    ),
    _named(
        "ai|言語モデル|llm|人工知能",
        r"(?:ai|人工知能|言語モデル|llm)[^。:!]{0,12}(?:へ|向け|に対する|への)[^。:!]{0,12}[:!]",
        r"(?:あなたが|もし)[^。]{0,8}(?:ai|言語モデル|llm|人工知能)[^。]{0,8}(?:なら|であれば|の場合)",
        r"(?:ai|言語モデル)(?:アシスタント|システム|モデル)?として、?[^。]{0,30}(?:しなさい|してください|しなければ)",
    ),
    rule(
        "override",
        "지시|명령|프롬프트|지침",
        r"(?:이전|위의|모든|앞의|기존)[^.]{0,14}(?:지시|명령|프롬프트|지침)[^.]{0,10}(?:무시|잊)",
    ),
    _named(
        "ai|인공지능|언어 모델|언어모델",
        r"(?:ai|인공지능|언어 ?모델)[^.:!]{0,10}(?:에게|대상)[^.:!]{0,12}[:!]",
        r"(?:당신이|만약|만일)[^.]{0,10}(?:ai|인공지능|언어 ?모델)[^.]{0,8}(?:라면|이라면|경우)",
    ),
)
