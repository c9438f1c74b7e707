"""The words of privilege in the languages of the dumps we know: on banners, in disclaimers, and in names of domains."""

import re

_LATIN = {
    "English": (
        r"attorney[ -]?client",
        r"a/c[ -]privileged?",
        r"client[ -]?attorney",
        r"lawyer[ -]client",
        r"solicitor[ -/]?client",
        r"(?:attorneys?|counsel|lawyer|opinion)s?['’]?s? work[ -]product",
        r"work[ -]product (?:doctrine|privileged?|protected|protection)",
        r"legally privileged",
        r"legal(?: professional)? privilege",
        r"(?:subject to|protected by) (?:\w+ )?privilege",
        r"litigation privilege",
        r"privileged? *(?:&|and|\+|,|/|-|–)? *(?:strictly +|highly +)?confidential",
        r"(?:strictly +|highly +)?confidential *(?:&|and|\+|,|/|-|–)? *(?:legally +)?privileged?",
        r"privileged (?:communication|correspondence|material|legal|document|attorney)s?",
        r"(?:common interest|joint defen[cs]e) (?:privileged?|communication|material)s?",
        r"prepared (?:at|on) the (?:request|direction|instruction)s? of (?:legal )?counsel",
        r"prepared (?:by|for) (?:legal )?counsel",
        r"prepared in (?:anticipation|contemplation) of litigation",
        r"confidential legal advice",
        r"(?:for the purpose of|contains?) (?:giving |obtaining |seeking )?legal advice",
    ),
    "German": (
        r"anwaltsgeheimnis\w*",
        r"anwaltskorrespondenz",
        r"anwaltspost",
        r"anwaltliche (?:korrespondenz|verschwiegenheit|verschwiegenheitspflicht|schweigepflicht)",
        r"vertrauliche anwaltskorrespondenz",
        r"verteidigerpost",
        r"mandatsgeheimnis",
    ),
    "French": (
        r"confidentiel *[-–—,/]? *avocats?",
        r"secret professionnel *(?:de l['’]avocat|des? avocats?|[-–—,/]? *avocats?)",
        r"correspondance (?:d['’]|entre )?avocats?",
        r"communication (?:privilégiée|avocat[ -]client)",
        r"secret professionnel",
        r"privilège (?:avocat[ -]client|juridique)",
    ),
    "Spanish": (
        r"secreto profesional(?: (?:del abogado|abogado[ -]cliente))?",
        r"comunicación (?:privilegiada|abogado[ -]cliente)",
        r"privilegio (?:abogado[ -]cliente|legal)",
        r"abogado[ -]cliente",
    ),
    "Italian": (
        r"segreto professionale(?: (?:forense|dell['’]avvocato))?",
        r"corrispondenza (?:riservata )?(?:tra |fra )?(?:avvocati|colleghi)",
        r"riservat[ao] (?:avvocato|legale)[ -]cliente",
        r"avvocato[ -]cliente",
    ),
    "Portuguese": (r"sigilo profissional(?: do advogado)?", r"segredo profissional", r"advogado[ -]cliente"),
    "Dutch": (
        r"advocaat[ -]cli[eë]nt",
        r"verschoningsrecht",
        r"geheimhoudersinformatie",
        r"(?:vertrouwelijke )?advocatencorrespondentie",
        r"beroepsgeheim(?: advocaat)?",
    ),
    "Scandinavian": (r"advokatsekretess", r"advokatkorrespond[ea]n[cst]e?", r"advokathemmelighed"),
    "Polish": (r"tajemnica (?:adwokacka|radcowska|obrończa)",),
    "Czech": (r"advokátní tajemství",),
}
_OTHER = (
    r"адвокатская тайна",
    r"律师(?:与)?(?:客户|当事人)",
    r"弁護士[・-]?依頼者",
    r"חיסיון עורך דין",
    r"חסיון עו\"?ד",
)
BANNERS = tuple(phrase for phrases in _LATIN.values() for phrase in phrases) + _OTHER
"""Patterns in small letters, one of which a banner holds."""

BANNER_WORDS = frozenset(
    "a c attorney attorneys client lawyer lawyers solicitor solicitors counsel counsels legal legally work product doctrine "
    "privilege privileged communication communications correspondence material materials document documents confidential "
    "strictly highly private professional litigation protected protection subject to common interest joint defense "
    "defence prepared at by for the request direction instruction of in on anticipation contemplation advice and or not "
    "s draft do copy forward distribute disclose without permission discoverable only eyes contains under information "
    "memorandum memo note re fw internal purpose giving obtaining seeking opinion foia exempt attn attention "
    "anwaltsgeheimnis anwaltskorrespondenz anwaltspost anwaltliche korrespondenz verschwiegenheit "
    "verschwiegenheitspflicht schweigepflicht vertraulich vertrauliche verteidigerpost mandatsgeheimnis streng unterliegt "
    "dem der die und anwaltsgeheimnisses "
    "confidentiel confidentielle avocat avocats secret professionnel correspondance d de l des du entre et communication "
    "privilégiée client privilège juridique strictement couvert couverte par le "
    "secreto profesional abogado cliente comunicación privilegiada privilegio confidencial y e del "
    "segreto professionale forense dell avvocato avvocati corrispondenza riservata riservato tra fra colleghi riservatezza "
    "confidenziale "
    "sigilo segredo profissional advogado do "
    "advocaat cliënt client verschoningsrecht geheimhoudersinformatie vertrouwelijk vertrouwelijke "
    "advocatencorrespondentie beroepsgeheim en "
    "advokatsekretess advokatkorrespondance advokatkorrespondens konfidentiellt fortroligt fortrolig och og "
    "tajemnica adwokacka radcowska obrończa poufne i advokátní tajemství důvěrné a "
    "адвокатская тайна конфиденциально".split()
)
"""A line of nothing but these, with one of the phrases, is a banner and no sentence about privilege."""

DISCLAIMING = re.compile(
    r"\b(?:may|might|could) (?:also )?(?:be|contain|include|constitute)|in error\b|unauthori[sz]ed|disclaimer|addressee"
    r"|intended (?:only|solely|exclusively|recipient)|(?:only|solely|exclusively) (?:intended )?for (?:the )?use"
    r"|(?:only|solely|exclusively) (?:intended )?for the (?:named|addressee|intended|person|individual)"
    r"|if you (?:are not|have received|received)|confidentiality notice|notify the sender"
    r"|kann (?:vertrauliche|rechtlich)|bestimmungsgemäß|irrtümlich"
    r"|(?:richtige|beabsichtigte|vorgesehene|nicht der) (?:adressat|empfänger)"
    r"|destinataires?|par erreur|peut contenir|destinatari[oa]s?|por error|por engano|puede contener|pode conter"
    r"|per errore|può contenere|geadresseerde|bestemd voor|kan vertrouwelijke|afsedda? för|mottagare|adresata|omyłkowo"
    r"|адресат|по ошибке"
)
"""Turns of phrase of the disclaimers below ordinary mails, in small letters."""

NO_COUNSEL = frozenset(
    "law.com law360.com findlaw.com lawinsider.com lawgazette.co legalzoom.com rocketlawyer.com lawdepot.com legal.com "
    "lexology.com legalweek.com legalcheek.com lawsociety.org thelawyer.com lawfareblog.com lawfaremedia.org eurlex "
    "outlaw coleslaw bylaw bylaws inlaw inlaws mother-in-law claw flaw lawlaw".split()
)
"""Domains, or their first labels, that have law in their name and are no law firm's."""
SLAVIC_ENDINGS = tuple(
    "stanislaw boleslaw czeslaw miroslaw jaroslaw wladyslaw zdzislaw mieczyslaw wieslaw przemyslaw radoslaw bronislaw "
    "zbyslaw wroclaw inowroclaw wodzislaw waclaw breslaw coleslaw flaw outlaw bylaw claw illegal paralegal".split()
)
"""Ends of names that end like a law firm's by chance."""
