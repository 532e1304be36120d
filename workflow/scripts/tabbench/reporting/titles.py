"""Display forms of ids in tables and figures."""

SUITE_TITLES = {"core": "classic suite", "llm_synthetic": "LLM-synthetic suite"}
_DOMAIN_TITLES = {"people_society": "People and society"}


def domain_title(domain: str) -> str:
    """Return ``Natural science`` for ``natural_science``; MLP levels stay as they are."""
    if domain.startswith("MLP-"):
        return domain
    return _DOMAIN_TITLES.get(domain, domain.replace("_", " ").capitalize())


def full_title() -> str:
    """Return what stands in the place of `shots_title` for all training rows."""
    return "all training rows"


def shots_title(k: int) -> str:
    """Return ``16-shot`` for 16."""
    return f"{k}-shot"
