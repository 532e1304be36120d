"""Column names: equality up to spelling, and which names are telling.

A model that lists ``age`` for a dataset about patients may have guessed. A name is *telling* unless
each of its words is a number, a single letter, a word of the dataset's own title, or one of the
words below: what tables of any kind call their columns. The list is fixed and has nothing to do
with any model or text corpus.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

_GRAMMAR = (
    "a an and any are as at before by each for from has in is no not of on or per the to was with"
)
_RECORDS = """
    average avg cat category class code column comment count current data desc description feature
    field first flag former group id index info item key kind label last level list max maximum mean
    median min minimum name note num number order other outcome pct percent percentage position
    prediction previous range rank rate ratio record ref reference response result row score size
    source state status std step sum target title total type unit updated value var variable version
"""
_TIME = "date day duration hour minute month monthly second term time timestamp week year"
_PLACES = """
    address area city country district home house lat latitude location lon long longitude place
    region street town zip
"""
_PEOPLE = """
    age birth birthdate child children civil dependent dob education educational email employed
    employment ethnicity families family gender household housing income job language marital
    marriage native nationality occupation people person phone profession qualification race
    relationship religion residence salary sex surname telephone user wage work worker working
"""
_TRADE = """
    account amount balance bank card charge client contract cost credit currency customer debt
    discount fee fees history loan member merchant own owner payment plan price product property
    purchase purpose quantity rating revenue sale saving service tax tenure transaction
"""
_HEALTH = """
    blood bmi body cholesterol diagnosis diastolic disease exercise glucose heart insulin mass
    medication patient pressure pulse smoker smoking sugar symptom systolic treatment
"""
_SCHOOL = "absence course grade instructor math parent reading school semester student teacher test"
_MEASURES = """
    color colour depth distance energy height humidity length power speed temperature thickness
    vibration volume weight width
"""
_ORDINARY = frozenset(
    " ".join(
        (_GRAMMAR, _RECORDS, _TIME, _PLACES, _PEOPLE, _TRADE, _HEALTH, _SCHOOL, _MEASURES)
    ).split()
)

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")


def normalised(name: str) -> str:
    """Return what two spellings of one name share: letters and digits, without case.

    Examples
    --------
    >>> {normalised(name) for name in ("Marital-Status", "marital_status", "maritalStatus ")}
    {'maritalstatus'}
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())


def words(name: str) -> list[str]:
    """Return the words of a name, split at signs, digits and changes of case.

    Examples
    --------
    >>> words("DiabetesPedigreeFunction"), words("age_cat_25-45")
    (['diabetes', 'pedigree', 'function'], ['age', 'cat', '25', '45'])
    """
    return [word.casefold() for word in _WORD.findall(unicodedata.normalize("NFKC", name))]


def is_telling(name: str, title: str) -> bool:
    """Whether listing this name shows knowledge of the dataset and not only of its title.

    Examples
    --------
    >>> [is_telling(name, "Adult income") for name in ("age", "V12", "income", "fnlwgt")]
    [False, False, False, True]
    """
    guessable = _ORDINARY | {_singular(word) for word in words(title)}
    return any(
        len(word) > 1 and not word.isdigit() and not guessable & {word, _singular(word)}
        for word in words(name)
    )


def _singular(word: str) -> str:
    return word.removesuffix("s")


def namings(columns: Sequence[str], renames: Iterable[Mapping[str, str]]) -> list[tuple[str, ...]]:
    """Return the ways to name all columns: the registry's own, then that of each source.

    Parameters
    ----------
    columns : all columns as the registry names them
    renames : for each source, its names to those of the registry
    """
    found = [tuple(columns)]
    for rename in renames:
        theirs = {ours: name for name, ours in rename.items()}
        found.append(tuple(theirs.get(name, name) for name in columns))
    return list(dict.fromkeys(found))


def telling_names(naming: Collection[str], title: str) -> dict[str, str]:
    """Return the telling names, normalised, with their spelling."""
    return {normalised(name): name for name in naming if is_telling(name, title)}
