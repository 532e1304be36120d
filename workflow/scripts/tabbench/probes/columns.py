"""Names of columns: when two are the same, and which of them tell that a dataset is known.

A model that lists ``age`` for a dataset about patients has guessed. A name is *telling* unless
each of its words is a number, a single letter, a word of the dataset's own title, or one of the
words below: what tables of any kind call their columns. The list is fixed and has nothing to do
with any model or text corpus.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

_ORDINARY = frozenset(
    """
    a an and any are as at avg average before by code column count current data day days each
    feature field first flag for from group has hour hours id in index info is item key label last
    level list max maximum mean median min minimum minute month months name no not num number of
    on or order other per percent percentage pct position previous range rank rate ratio record ref
    reference result row score second size source state status std step sum target the time
    timestamp to total type unit updated value var variable version was week with year years
    class category cat kind outcome prediction response description desc comment comments note
    age birth birthdate child children city civil country date dependents dob education educational
    email employed employment ethnicity families family first former gender home house household
    housing income job language last marital marriage nationality native occupation people person
    phone profession qualification race region relationship religion residence salary sex
    street surname telephone title town user wage work worker working zip
    address area district latitude lat longitude lon long location place
    account amount balance bank card charge charges client contract cost credit currency customer
    customers debt discount duration fee fees history loan member merchant monthly orders own owner
    payment plan price product products property purchase purchases purpose quantity rating revenue
    sales saving savings service services tax tenure term transaction value
    bmi blood body cholesterol diagnosis diastolic disease exercise glucose heart height history
    insulin medication mass patient pressure pulse smoker smoking sugar symptom symptoms systolic
    treatment weight
    absences course grade instructor math parent parents reading school semester student teacher
    test
    color colour depth distance energy height humidity length power pressure speed temperature
    thickness vibration volume width
    """.split()
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
    """Whether listing this name tells that the dataset, and not only its title, is known.

    Examples
    --------
    >>> [is_telling(name, "Adult income") for name in ("age", "V12", "income", "fnlwgt")]
    [False, False, False, True]
    """
    guessable = _ORDINARY | {_singular(word) for word in words(title)}
    return any(
        len(word) > 1
        and not word.isdigit()
        and word not in guessable
        and _singular(word) not in guessable
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
