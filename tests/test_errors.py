"""Error messages suggest names."""

from tabbench.core.errors import closest


def test_the_closest_name_is_suggested_only_when_it_is_close():
    assert closest("credits", ["credit", "tae"]) == "did you mean 'credit'? Valid: credit, tae"
    assert closest("zzz", ["credit", "tae"]) == "Valid: credit, tae"
    assert closest("x", []) == "Valid: (none)"
