"""The parts of a memo's file that are the same in each: which parts there are, styles, settings."""

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

CONTENT_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_WORD}.styles+xml"/>'
    f'<Override PartName="/word/settings.xml" ContentType="{_WORD}.settings+xml"/>'
    f'<Override PartName="/word/footnotes.xml" ContentType="{_WORD}.footnotes+xml"/></Types>'
)
RELATIONS = (
    f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_KINDS}/officeDocument"'
    ' Target="word/document.xml"/></Relationships>'
)
DOCUMENT_RELATIONS = (
    f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_KINDS}/styles" Target="styles.xml"/>'
    f'<Relationship Id="rId2" Type="{_KINDS}/settings" Target="settings.xml"/>'
    f'<Relationship Id="rId3" Type="{_KINDS}/footnotes" Target="footnotes.xml"/></Relationships>'
)
SETTINGS = (
    f'<w:settings xmlns:w="{_MAIN}"><w:footnotePr><w:footnote w:id="-1"/><w:footnote w:id="0"/></w:footnotePr>'
    '<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word"'
    ' w:val="15"/></w:compat></w:settings>'
)


def _style(kind: str, name: str, called: str, looks: str, *, based: str = "") -> str:
    on = f'<w:basedOn w:val="{based}"/>' if based else ""
    default = ' w:default="1"' if name == "Normal" else ""
    return f'<w:style w:type="{kind}"{default} w:styleId="{name}"><w:name w:val="{called}"/>{on}{looks}</w:style>'


def _looks(*, before: int = 0, after: int = 120, size: int = 22, bold: bool = False, indent: int = 0) -> str:
    """Distances in twentieths of a point, size of letters in half points."""
    left = f'<w:ind w:left="{indent}"/>' if indent else ""
    thick = "<w:b/><w:bCs/>" if bold else ""
    spacing = f'<w:spacing w:before="{before}" w:after="{after}"/>'
    return f'<w:pPr>{spacing}{left}</w:pPr><w:rPr>{thick}<w:sz w:val="{size}"/><w:szCs w:val="{size}"/></w:rPr>'


STYLES = (
    f'<w:styles xmlns:w="{_MAIN}"><w:docDefaults><w:rPrDefault><w:rPr>'
    '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Arial"/><w:sz w:val="22"/><w:szCs w:val="22"/>'
    "</w:rPr></w:rPrDefault></w:docDefaults>"
    + _style("paragraph", "Normal", "Normal", _looks())
    + _style("paragraph", "Title", "Title", _looks(after=240, size=34, bold=True), based="Normal")
    + _style("paragraph", "Heading1", "heading 1", _looks(before=320, size=26, bold=True), based="Normal")
    + _style("paragraph", "ListParagraph", "List Paragraph", _looks(after=60, size=20, indent=284), based="Normal")
    + _style("paragraph", "FootnoteText", "footnote text", _looks(after=40, size=18), based="Normal")
    + _style(
        "character", "FootnoteReference", "footnote reference", '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
    )
    + "</w:styles>"
)
