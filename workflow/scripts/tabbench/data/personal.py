"""Columns that look personal: names, addresses, numbers and dates of people.

A guess by the words of a column's name, in several languages, and by the look of its cells. It
points out; it cannot promise that the other columns are harmless.
"""

import re
import unicodedata
from collections.abc import Iterable

import pandas as pd

LOOKED_AT = 2000
"""Different cells of a column that are looked at."""
WANTED = 0.5
"""Share of a column's different cells that must look alike."""
SEEN = 3
"""Cells with an e-mail address in a longer text that make a column personal."""

_NAMES = {
    "names": (
        "firstname lastname surname forename givenname familyname fullname middlename maidenname "
        "username nickname vorname nachname familienname rufname prenom nomfamille nomcomplet "
        "apellido apellidos nombre cognome sobrenome apelido achternaam voornaam fornavn "
        "efternavn etternavn etunimi sukunimi imie nazwisko jmeno prijmeni "
        "имя фамилия отчество 氏名 名前 姓名"
    ),
    "e-mail addresses": "email mail emailaddress courriel correo mailadresse 邮箱",
    "phone numbers": (
        "phone telephone phonenumber mobile mobilephone cellphone fax telefon telefonnummer handy "
        "handynummer tel telefono telefone celular portable telefoon telefonnr телефон 电话 電話"
    ),
    "birth dates": (
        "dob birthdate birthday dateofbirth bornon geburtsdatum geburtstag gebdatum datenaissance "
        "datedenaissance fechanacimiento fechadenacimiento datanascita datanascimento "
        "geboortedatum fodselsdato birth 生年月日 出生日期"
    ),
    "addresses": (
        "address addr street streetaddress homeaddress adresse anschrift strasse hausnummer "
        "direccion calle indirizzo endereco adres straat postcode postalcode zipcode zip plz "
        "postleitzahl codepostal codigopostal cap адрес 住所 地址 latitude longitude latlon "
        "latlng latlong gps geolocation postal pincode"
    ),
    "ids of people": (
        "ssn socialsecurity socialsecuritynumber nationalid passport passportno passportnumber "
        "taxid tin personid patientid userid customerid clientid memberid employeeid studentid "
        "subjectid participantid applicantid mrn nhsnumber insurancenumber "
        "sozialversicherungsnummer steuerid steuernummer ausweisnummer personalnummer "
        "kundennummer patientennummer nir numerosecu dni nif nie curp cpf codicefiscale "
        "bsn personnummer pesel iban accountnumber "
        "cardnumber creditcard kontonummer"
    ),
    "network addresses": "ip ipaddress ipaddr ipv4 ipv6 macaddress",
}


def _plain(text: str) -> str:
    """Text without case and accents."""
    apart = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(one for one in apart if not unicodedata.combining(one)).casefold()


_KIND_BY_NAME = {_plain(word): kind for kind, words in _NAMES.items() for word in words.split()}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ALONE = _set("birth mail cap tin nir nie tel ip handy mobile portable celular fax via")
"""Words of several meanings: they count as a whole name, not as a part of one (cap_shape)."""
_PERSONS = _set(
    "person patient user customer client member employee student subject participant applicant "
    "borrower contact kunde kunden cliente"
)
_SAFE_TAILS = _set(
    "count counts type length len year age rate score domain provider plan service services model "
    "brand distance time hours calls usage minutes lines verified known given valid changed "
    "changes n weight order rank control quality size risk"
)
"""Words behind which a name speaks of a property: email_domain, phone_service, birth_weight."""
_COUNTED = _set("n num number count has is no total avg mean max min days years")
"""Words before which a name does: num_phone_calls, has_email."""

_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}"
_PATTERNS = {
    "e-mail addresses": _EMAIL,
    "phone numbers": (
        r"\+\d{1,3}[ ./-]?(?:\(\d{1,4}\)[ ./-]?)?\d(?:[ ./-]?\d){5,12}"
        r"|\(\d{2,5}\)[ ./-]?\d{2,4}(?:[ ./-]\d{2,5}){1,3}|\d{3}-\d{3}-\d{4}|0\d(?:[ ./-]\d{2}){4}"
    ),
    "ids of people": (
        r"\d{3}-\d{2}-\d{4}|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?"
        r"|\d{3}\.\d{3}\.\d{3}-\d{2}"
    ),
    "network addresses": r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)",
    "addresses": (
        r"\d{1,5}[A-Za-z]? [\w.' -]+ (?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|court|ct"
        r"|boulevard|blvd|way|square|place|pl)\b.*"
        r"|[\w. -]+(?:stra(?:ß|ss)e|str\.|weg|gasse|allee|platz) \d{1,4} ?[a-z]?(?:,.*)?"
        r"|\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|place|chemin|impasse) .+"
        r"|(?:calle|avenida|via|viale|piazza|rua) [\w.' -]+,? \d{1,4}.*"
    ),
}
_HONORIFIC = re.compile(
    r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Mme|Sr|Sra|Sig)\.? [A-Z][\w'-]+( .*)?"
    r"|[A-Z][\w'-]+, (?:Mr|Mrs|Miss|Ms|Master|Dr)\.? .*"
)
_CELL_PATTERNS = {kind: re.compile(text, re.IGNORECASE) for kind, text in _PATTERNS.items()}
_CELL_PATTERNS["ids of people"] = re.compile(_PATTERNS["ids of people"])
_IN_TEXT = re.compile(_EMAIL)


def personal_columns(cells: pd.DataFrame) -> dict[str, str]:
    """Return each column that looks personal, with the reason.

    Parameters
    ----------
    cells : text cells, as `readers.read_raw` gives them
    """
    found = {}
    places = _coordinates(map(str, cells.columns))
    for name in cells.columns:
        by_name = _COORDINATE if str(name) in places else _by_name(str(name), cells[name])
        why = by_name or _by_cells(cells[name])
        if why:
            found[str(name)] = why
    return found


def words(name: str) -> list[str]:
    """Words of a column's name: dateOfBirth, DATE_OF_BIRTH and Date of birth are alike."""
    apart = re.sub(r"(?<=[a-zа-я0-9])(?=[A-ZА-Я])", " ", name)
    return re.findall(r"\w+", _plain(apart).replace("_", " "))


_COORDINATE = "addresses, by the column's name"
_LATITUDE, _LONGITUDES = "lat", ("long", "lon", "lng")
"""Short words of coordinates. They mean other things as well (how_long, lat_pull), so that one
counts where its other half is there: merch_lat and merch_long."""


def _coordinates(names: Iterable[str]) -> set[str]:
    """Return the columns that are one half of coordinates whose other half is there too."""
    by_words = {tuple(words(name)): name for name in names}
    found = set()
    for parts, name in by_words.items():
        for at in range(len(parts)):
            if parts[at] != _LATITUDE:
                continue
            pairs = [(*parts[:at], other, *parts[at + 1 :]) for other in _LONGITUDES]
            there = [by_words[pair] for pair in pairs if pair in by_words]
            found |= {name, *there} if there else set()
    return found


def _by_name(name: str, cells: pd.Series) -> str | None:
    parts = words(name)
    if not parts or parts[-1] in _SAFE_TAILS or parts[0] in _COUNTED:
        return None
    kind = next(
        (
            _KIND_BY_NAME[joined]
            for size in range(len(parts), 0, -1)
            for start in range(len(parts) - size + 1)
            for joined in ["".join(parts[start : start + size])]
            if joined in _KIND_BY_NAME and (size == len(parts) or joined not in _ALONE)
        ),
        None,
    )
    if kind is None and parts[-1] in ("name", "nom") and _is_of_person(parts[:-1], cells):
        kind = "names"
    if kind is None and parts[-1] == "id" and any(word in _PERSONS for word in parts):
        kind = "ids of people"
    if kind is None or cells.str.strip().nunique() <= 2:  # yes or no, told or not
        return None
    return f"{kind}, by the column's name"


def _is_of_person(before: list[str], cells: pd.Series) -> bool:
    """Whether a name is of a person: a column "name" of many words, or the name of a patient."""
    if before:
        return any(word in _PERSONS or word in ("first", "last", "full") for word in before)
    known = cells.str.strip()
    texts = known[~known.str.fullmatch(r"[\d.,+-]*")]
    return texts.nunique() > len(cells) / 2


def _by_cells(cells: pd.Series) -> str | None:
    known = pd.Series(cells.str.strip().unique())
    known = known[known != ""].head(LOOKED_AT)
    if len(known) < SEEN:
        return None
    for kind, pattern in _CELL_PATTERNS.items():
        if known.map(lambda cell, p=pattern: p.fullmatch(cell) is not None).mean() >= WANTED:
            return f"{kind}, by the cells"
    if known.map(lambda cell: _HONORIFIC.fullmatch(cell) is not None).mean() >= WANTED:
        return "names, by the cells"
    if known.map(lambda cell: _IN_TEXT.search(cell) is not None).sum() >= SEEN:
        return "texts with e-mail addresses, by the cells"
    return None
