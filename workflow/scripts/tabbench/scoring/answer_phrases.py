"""Phrases that commit to a label, as patterns of the text before it and after it.

A phrase is recognised by what it is made of, from the beginning of its clause to the label: a word
that is not listed here (a negation, "could", "whether") keeps it from being one.
"""

import re


def _any(phrases: str) -> str:
    """A pattern of any of the phrases, which are patterns separated by ``|``."""
    return f"(?:{'|'.join(' '.join(phrase.split()) for phrase in phrases.split(' | '))})"


def _before(*patterns: str) -> re.Pattern[str]:
    """Any of the patterns at the end of the text before a label."""
    return re.compile(rf"(?:{'|'.join(patterns)})\Z", re.IGNORECASE)


_QUOTE = r"*_`\"'“”‘’"
_TAG = r"</?(?!t[dhr]>)[a-z]{1,12}>"
_MARK = rf"[\s{_QUOTE}«(\[{{$\\]|{_TAG}|\\(?:boxed|math\w{{2}}|text(?:bf|rm)?)\s*\{{"
_OPEN = rf"(?:{_MARK}){{0,20}}"
_EMOJI = r"[\u2190-\u21ff\u2500-\u27bf\ufe0f\U0001f300-\U0001faff]"
_CLAUSE = rf"(?:\A|[.!?;,—–→|>\n。，]|\b(?:but|so)\b)[\s{_QUOTE}«»#>•|{{-]{{0,20}}"

# What may stand in a clause before the phrase.
_ADVERB = _any(
    """so | thus | hence | therefore | then | and | but | consequently | overall | accordingly
    | finally | yes | no | clearly | certainly | definitely | in (?:my|this) \\w{1,20}
    | in conclusion | in summary | in short | to conclude | to sum up | as a result"""
)
_SUBJECT = _any("i | we | the model")
_BELIEF = (
    rf"{_SUBJECT} (?:(?:strongly|firmly|would|do) )?"
    + _any("think | believe | say | conclude | estimate | guess | assume | predict")
    + r"|i(?:['’]m| am) (?:(?:quite|fairly|pretty|very|\d{1,3} ?%) )?"
    r"(?:confident|sure|certain|convinced)"
    r"|it is (?:(?:most|very) )?(?:clear|likely|obvious|evident)"
    r"|(?:this|it|which) (?:(?:clearly|strongly) )?(?:means|suggests|indicates|implies|follows)"
)
_GROUND = r"(?:based on|given|from|according to|considering) [^.,;:!?\n]{1,80}?"
_LEAD = rf"(?:(?:{_ADVERB}|{_GROUND}|(?:{_BELIEF})(?: that)?|here(?: is|['’]s))[,:]?\s+){{0,4}}"

# The answer by name, and of what it is one.
_ANSWER = (
    r"(?:(?:binary|class|label)[\s_]+){0,2}"
    + _any(
        """answer | ans | prediction | predicted | output | result | response | verdict | decision
        | conclusion | guess | classification | diagnosis | choice | judge?ment | forecast
        | majority | final"""
    )
    + r"(?:[\s_]+(?:class|label|value|category|outcome)){0,2}"
)
_CLASS = (
    r"(?:(?:predicted|binary|target|output|class)[\s_]+){0,2}"
    r"(?:class|label|category|outcome|y|ŷ|y_pred|y_hat)"
)
_VALUE = r"(?:value|target)"
_WHICH = (
    r"(?:(?:final|correct|right|best|(?:most )?(?:likely|probable)|overall|short|own|expected"
    r"|appropriate|suitable|resulting|assigned)[\s_]+){0,2}"
)
_THE = rf"(?:(?:the|my|our|a|your|this(?: \w{{1,20}}['’]s)?)\s+)?{_WHICH}"
_ROW = _any(
    """row | case | sample | instance | example | record | entry | observation | data | point
    | input | features | query | question | task | patient | person | individual | customer
    | client | applicant | student | user"""
)
_OF_ROW = (
    r"(?:\s+(?:for|of|on|to)\s+(?:(?:this|that|these|the given) \w{1,20}|(?:the )?"
    r"(?:(?:given|new|current|test|provided|following|query|last) )?"
    rf"{_ROW})(?: {_ROW}| \d{{1,6}})?|\s+here)?"
    rf"(?:\s*[(\[][^()\[\]\n]{{0,80}}[)\]])?[{_QUOTE}]{{0,4}}"
)

# What joins it to the label.
_ADVERBS = _any(
    """most likely | very likely | likely | most probably | probably | therefore | thus | hence
    | then | clearly | definitely | certainly | still | indeed | simply | just | also | to be
    | that it is | a | an"""
)
_IS = (
    _any(
        """is | was | are | would be | will be | should be | must be | has to be | remains | equals
        | ['’]s | ['’]d be | seems | seems like | appears | looks | looks like"""
    )
    + rf"(?:\s+{_ADVERBS}){{0,4}}\s*[:=]?"
)
_COLON = r"(?:(?:\s*(?:[:=：＝→⇒]|-{1,2}>|=>)){1,2}|[ \t]+[–—-](?=[ \t]))"
_CLASS_OF = r"(?:(?:the\s+)?(?:(?:class|label|category|digit)\b\s*){1,2}(?:of\s+)?|y\b\s*)?=?"

_SAY = (
    rf"{_SUBJECT}(?:['’](?:d|ll|m)| "
    + _any(
        """would | will | shall | must | have to | am | therefore | thus | hence | then | now
        | confidently | do | hereby | also | strongly | still | rather | have"""
    )
    + r"){0,4}\s+"
    + _any(
        """predicts? | predicted | say | guess | choose | chose | select | pick | answer(?: with)?
        | estimate | assign | outputs? | go(?:ing)? with | opt for | settle on | settle for
        | decide on | lean(?:ing)? towards? | inclined to (?:say|predict) | classified
        | (?:classify|label|rate|put|categori[sz]e)\\s+[^.,;:!?\\n\\d]{1,40}?\\s+(?:as|into|in)"""
    )
    + r"(?:\s+(?:a|an|the|that|it is|it['’]s|this is)){0,3}:?"
)
_PASSIVE = (
    r"(?:(?:is|are|was|be)\s+(?:\w+ly\s+)?(?:classified|predicted|labell?ed|assigned"
    r"|categori[sz]ed)(?:\s+(?:as|to be|to|in|into)){0,2}(?:\s+(?:a|the))?"
    r"|(?:belongs|falls|goes|fits|corresponds)\s+(?:to|in|into|under)(?:\s+the)?(?=\s+(?:class|category)))"
)

# The same in other languages.
_FOREIGN = (
    _any(
        """antwort | vorhersage | ergebnis | klasse | réponse | prédiction | classe | résultat
        | respuesta | predicción | clase | resultado | risposta | previsione | predizione
        | classificazione | resposta | previsão | predição | antwoord | voorspelling | svar
        | vastaus | odpowiedź | odpověď | predykcja | jawaban | cevap | yanıt | tahmin | răspuns
        | απάντηση | ответ | предсказание | прогноз | класс | відповідь | đáp án | câu trả lời
        | उत्तर | الإجابة | الجواب"""
    )
    + r"(?:\s+(?:final[ea]?|definitiva|corre(?:ct[ae]|tt?a)))?"
)
_FOREIGN_IS = (
    r"(?:\s*(?:(?:ist|lautet|wäre|est|serait|es|sería|è|é|seria|is|är|er|on|jest|je|это)(?!\w)"
    r"|[:=：＝→-])){1,2}"
)
_FOREIGN_SAY = _any(
    """ich (?:sage|tippe auf|wähle|würde sagen|würde) | je (?:dirais|prédis|choisis)
    | (?:yo )?(?:predigo|diría|elijo) | prevedo | eu (?:diria|prevejo) | ik (?:voorspel|zeg)"""
)
_CJK = _any(
    """答案 | 预测结果 | 预测 | 預測 | 回答 | 结果 | 結果 | 类别 | 结论 | 結論 | 分类 | 分類 | 答え
    | 予測 | 答 | 정답 | 예측 | 답"""
)
_CJK_IS = r"(?:(?:\s*(?:是|为|為|は|は、|은|는|[:=：＝→-])){1,2}|(?<=我预测))"

MARKED = _before(
    rf"\\boxed\s*\{{{_OPEN}",
    r"[<\[](?:(?:final|predicted)[_ -]?)?(?:answer|ans|prediction|label|output|response|class"
    rf"|classification|decision|final|result)[>\]]{_OPEN}",
    rf"(?:\A|\n)####{_OPEN}",
)
"""A box or a tag of an answer."""

NAMED = _before(
    rf"(?:(?<![^\W_])|(?<=final_)){_ANSWER}{_OF_ROW}{_COLON}{_OPEN}{_CLASS_OF}{_OPEN}",
    rf"{_PASSIVE}\s+{_CLASS_OF}{_OPEN}",
    rf"(?<!\w){_FOREIGN}{_FOREIGN_IS}{_OPEN}",
    rf"{_CJK}{_CJK_IS}{_OPEN}",
)
"""The name of an answer and a colon, or "is classified as", anywhere in a sentence."""

SAID = _before(
    rf"{_CLAUSE}{_LEAD}{_THE}(?:{_ANSWER}|{_CLASS}){_OF_ROW}\s*(?:{_IS}|{_COLON}){_OPEN}"
    rf"{_CLASS_OF}{_OPEN}",
    rf"{_CLAUSE}{_WHICH}{_VALUE}{_COLON}{_OPEN}",
    rf"{_CLAUSE}{_LEAD}(?:it|this|that)(?:\s+(?:row|one|patient|case))?(?:\s+|(?=['’])){_IS}\s+"
    rf"{_CLASS_OF}{_OPEN}",
    rf"{_CLAUSE}{_LEAD}(?:{_SAY}|{_FOREIGN_SAY})\s+{_CLASS_OF}{_OPEN}",
    rf"(?:\A|\n)[\s{_QUOTE}#>]{{0,20}}{_THE}{_ANSWER}[ \t{_QUOTE}#:]{{0,8}}\n{_OPEN}",
)
"""A clause that says it, from its beginning; the name of an answer as a heading."""

_SURELY = _any(
    """therefore | thus | hence | so | most likely | very likely | most probably | probably | likely
    | sure | certainly | clearly | definitely | of course | but | rather | yes | no | looks like
    | to conclude | in conclusion | in summary | in short | (?:must|has to) be
    | if i (?:had|have) to \\w{1,9}"""
)
BARE = _before(
    rf"(?:\A|[.!?\n]|\bso\b)[\s{_QUOTE}#>•-]{{0,20}}{_LEAD}{_THE}(?:{_ANSWER}|{_CLASS}|{_FOREIGN})\s+"
    rf"(?:(?:class|label)\s+)?{_OPEN}",
    rf"{_CLAUSE}{_LEAD}{_SURELY}[,:!]?\s+(?:an?\s+)?{_CLASS_OF}{_OPEN}",
    rf"\A[\s{_QUOTE}]*(?:no\b[,:!]?|(?:yes|sure(?: thing)?|certainly|of course|ok|okay|alright"
    rf"|understood|got it)\b[,:!.]?){_OPEN}",
    rf"(?:→|⇒|[=-]>){_OPEN}",
)
"""For a label that ends its sentence: "Class", "Therefore,", an arrow, and nothing between."""

START = re.compile(
    rf"(?:{_MARK}|(?:#{{1,6}}|>)\s|[•→=:|-]|{_EMOJI}|(?<!\w)(?:assistant|model|ai|bot|a|y)\s*[:=\n]"
    r"|\[/inst\]|###\s*(?:response|output|answer)\s*:)*",
    re.IGNORECASE,
)
"""All of the text before a label that the text starts with."""

REFUSED = re.compile(
    r"\b"
    + _any(
        """not | never | cannot | neither | nor | hardly | unlikely | doubt\\w* | unclear | unsure
        | whether | impossible | refus\\w+ | hesitat\\w+ | wrong | incorrect | examples? | format
        | probabilit\\w+ | likelihood | chances? | odds | confidence | scores? | could | might | may
        | nicht | keine? | pas | nem | não | нет | не"""
    )
    + r"\b|n['’]t\b|[不没]|[<>≤≥]=?\s*\d",
    re.IGNORECASE,
)
"""In the clause of a phrase: it takes back what the phrase says, or says something else."""

CONDITIONAL = re.compile(
    r"\b(?:if|unless|when|whenever|suppose|assuming|provided|in case|otherwise|were)\b"
    r"(?! (?:we|you|i|one) (?:look|consider|go|take|judge|had to|have to|must|am|were|want)\b)"
    r"|\bin (?:the )?(?:\w+ )?examples?\b",
    re.IGNORECASE,
)
"""In the sentence before a phrase: it says what would be, or what is elsewhere."""

_SHUT = rf"(?:\.00?(?!\d))?(?:[^\S\n]|[{_QUOTE})\]}}»$|\\]|{_EMOJI}|</[a-z]{{1,20}}>)*"
_UNSPACED = r"[^\W\d_a-zà-ž]"  # a letter of a script without spaces, or of another alphabet
_GOES_ON = _any(
    """because | since | as | for (?:this|that|these|the (?:given|row|patient|person)) | with
    | given | based | due | rather | instead | and not | not | here | in this | in my
    | when considering | according | although | though | but | which | i\\.e | e\\.g | voraus
    | vorhersagen | sagen"""
)
ENDED = re.compile(
    rf"{_SHUT}(?:\([^()\n]{{0,100}}\)[ \t]*)?(?:\Z|\n|[.!;,。，！]|{_UNSPACED})", re.IGNORECASE
)
"""After a label: the end of its sentence, clause or line."""

FOLLOWED = re.compile(
    rf"{_SHUT}(?:\Z|\n|[.!;,([…。，！]|<(?=[/|a-z])|:(?!\s*[-+]?[\d.])|[—–-](?!\s*(?:\d|[px]\b))|\|(?!\s*\d)|{_UNSPACED}"
    rf"|(?-i:[A-Z])|{_GOES_ON}\b)",
    re.IGNORECASE,
)
"""After a label: how a sentence may go on that says it, and no number of something."""

STARTED = re.compile(
    r"\s+(?:(?:has|have|does|will)\b"
    r"|is (?:the|my) (?:answer|prediction|predicted|most likely|correct))",
    re.IGNORECASE,
)
"""After a label that the text starts with, also this."""

CORRECTED = re.compile(
    r"\b(?:wait|actually|sorry|correction|scratch that|on second thought|i mean)\b[^\n]{0,80}"
    r"(?<!\w)([01])(?![\w.]\d)",
    re.IGNORECASE,
)
"""Behind a label: another one takes its place."""
