"""Columns that look personal: what must be pointed out, and what must not."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.data.personal import personal_columns

ROWS = 12


def columns(name, cell):
    cells = [str(cell(at) if callable(cell) else cell) for at in range(ROWS)]
    return pd.DataFrame({name: cells}, dtype="str")


GIVEN = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Tony", "Leslie", "John", "Ken",
         "Dennis", "Niklaus")  # fmt: skip
HOSTILE = [
    ("first_name", lambda at: GIVEN[at]),
    ("LastName", lambda at: GIVEN[at]),
    ("Vorname", lambda at: GIVEN[at]),
    ("NOM_DE_FAMILLE_nom_famille", lambda at: GIVEN[at]),
    ("Prénom", lambda at: GIVEN[at]),
    ("apellidos", lambda at: GIVEN[at]),
    ("имя", lambda at: GIVEN[at]),
    ("name", lambda at: f"{GIVEN[at]} {GIVEN[at - 1]}"),
    ("customer name", lambda at: GIVEN[at % 3]),
    ("e-mail", lambda at: f"a{at}@example.org"),
    ("contact_email", lambda at: f"a{at}@example.org"),
    ("x1", lambda at: f"a.b+{at}@mail.example.co.uk"),
    ("notes", lambda at: f"call back, or write to a{at}@example.org"),
    ("Telefonnummer", lambda at: f"030 {12345 + at}"),
    ("phone_number", lambda at: 4915112345678 + at),
    ("v7", lambda at: f"+49 151 2345 67{at:02}"),
    ("v8", lambda at: f"(555) 123-45{at:02}"),
    ("v9", lambda at: f"555-123-45{at:02}"),
    ("v10", lambda at: f"06 12 34 56 {at + 10}"),
    ("date_of_birth", lambda at: f"19{at + 60}-03-04"),
    ("dateOfBirth", lambda at: f"19{at + 60}-03-04"),
    ("DOB", lambda at: f"03/04/19{at + 60}"),
    ("Geburtsdatum", lambda at: f"04.03.19{at + 60}"),
    ("date_de_naissance", lambda at: f"04/03/19{at + 60}"),
    ("fecha de nacimiento", lambda at: f"04/03/19{at + 60}"),
    ("home_address", lambda at: f"{at} somewhere"),
    ("Straße", lambda at: f"Weg {at}"),
    ("zip", lambda at: 10115 + at),
    ("postal code", lambda at: 10115 + at),
    ("PLZ", lambda at: 10115 + at),
    ("street_name", lambda at: f"s{at}"),
    ("a1", lambda at: f"{at + 1} Main Street"),
    ("a2", lambda at: f"Hauptstraße {at + 1}"),
    ("a3", lambda at: f"{at + 1} rue de la Paix"),
    ("ssn", lambda at: f"123-45-67{at:02}"),
    ("b1", lambda at: f"123-45-67{at:02}"),
    ("b2", lambda at: f"DE8937040044053201{at:02}00"),
    ("b3", lambda at: f"111.222.333-{at:02}"),
    ("patient_id", lambda at: 7000 + at),
    ("CustomerID", lambda at: 7000 + at),
    ("passport no", lambda at: f"C{at}F"),
    ("ip", lambda at: f"10.0.0.{at}"),
    ("client_ip_address", lambda at: f"host{at}"),
    ("IPv4", lambda at: f"host{at}"),
    ("longitude", lambda at: 13.4 + at / 100),
    ("store_latitude", lambda at: 52.5 + at / 100),
    ("postal", lambda at: 10115 + at),
    ("PostCode", lambda at: 10115 + at),
    ("c1", lambda at: f"192.168.1.{at}"),
    ("Name", lambda at: f"Braund, Mr. Owen {GIVEN[at]}"),
    ("d1", lambda at: f"Mrs. {GIVEN[at]} Smith"),
]
INNOCENT = [
    ("age", lambda at: 20 + at),
    ("latency", lambda at: 20 + at),
    ("latex", lambda at: 20 + at),
    ("platform", lambda at: f"p{at}"),
    ("lat_pull", lambda at: 20 + at),
    ("lateral", lambda at: 20 + at),
    ("how_long", lambda at: 20 + at),
    ("long_term_debt", lambda at: 20 + at),
    ("longevity", lambda at: 20 + at),
    ("zipped", lambda at: 20 + at),
    ("ship_speed", lambda at: 20 + at),
    ("post_count", lambda at: 20 + at),
    ("income", lambda at: 20_000.5 + at),
    ("job", lambda at: ("clerk", "nurse")[at % 2]),
    ("Glucose", lambda at: 100 + at),
    ("cap_shape", lambda at: "bcx"[at % 3]),
    ("market_cap", lambda at: 1_000_000 + at),
    ("phone_service", lambda at: ("yes", "no", "none")[at % 3]),
    ("num_phone_calls", lambda at: at),
    ("has_email", lambda at: "01"[at % 2]),
    ("email", lambda at: "01"[at % 2]),
    ("email_domain", lambda at: ("a.org", "b.org", "c.org")[at % 3]),
    ("birth_weight", lambda at: 3000 + at),
    ("address_length", lambda at: at),
    ("customer_age", lambda at: 20 + at),
    ("customer_type", lambda at: "abc"[at % 3]),
    ("product_name", lambda at: f"product {at}"),
    ("name", lambda at: "ab"[at % 2]),
    ("contract", lambda at: ("month", "year", "two years")[at % 3]),
    ("date", lambda at: f"2024-01-{at + 1:02}"),
    ("year", lambda at: 2000 + at),
    ("duration", lambda at: f"00:{at:02}:10"),
    ("version", lambda at: f"1.{at}.3"),
    ("range", lambda at: f"{at}-{at + 5}"),
    ("score", lambda at: f"{at}.5"),
    ("big", lambda at: 123456789 + at),
    ("code", lambda at: f"AB{at}"),
    ("city", lambda at: ("Berlin", "Paris", "Rome")[at % 3]),
    ("tin_content", lambda at: 0.5 + at),
    ("mobile_payments", lambda at: at),
    ("titanic_class", lambda at: "123"[at % 3]),
    ("direct_mail_spend", lambda at: at),
    ("ratio", lambda at: f"{at}/12"),
    ("stage", lambda at: ("I", "II", "III")[at % 3]),
    ("street", lambda at: ("Pave", "Grvl")[at % 2]),
    ("place", lambda at: ("1st Place", "2nd Place", "3rd Place")[at % 3]),
    ("empty", ""),
]


@pytest.mark.parametrize(("name", "cell"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_what_is_personal_is_pointed_out(name, cell):
    assert name in personal_columns(columns(name, cell))


def test_seldom_is_something_harmless_pointed_out():
    alarms = [name for name, cell in INNOCENT if personal_columns(columns(name, cell))]
    assert alarms == []


def test_each_reason_says_what_was_found_and_where():
    found = personal_columns(columns("b1", lambda at: f"123-45-67{at:02}"))
    assert found == {"b1": "ids of people, by the cells"}
    found = personal_columns(columns("Vorname", lambda at: GIVEN[at]))
    assert found == {"Vorname": "names, by the column's name"}


@given(st.text(max_size=20), st.lists(st.text(max_size=30), min_size=1, max_size=6))
def test_any_text_is_looked_at_without_an_error(name, cells):
    found = personal_columns(pd.DataFrame({name: cells}, dtype="str"))
    assert set(found) <= {name}


@pytest.mark.parametrize(
    ("pair", "found"),
    [
        (("lat", "long"), True),
        (("merch_lat", "merch_long"), True),
        (("pickupLat", "pickupLng"), True),
        (("lat_home", "lon_home"), True),
        (("lat", "how_long"), False),
        (("latency", "longitudinal"), False),
        (("a_lat", "b_long"), False),
    ],
)
def test_short_words_of_coordinates_count_in_pairs(pair, found):
    cells = pd.concat([columns(name, lambda at: 40 + at / 9) for name in pair], axis=1)
    assert set(personal_columns(cells)) == (set(pair) if found else set())
