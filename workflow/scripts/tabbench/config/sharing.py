"""What of a user dataset would leave this machine, and whether its owner allows that."""

import ipaddress
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit


def stays_here(url: str) -> bool:
    """Whether requests to an address stay on this machine.

    That is so for ``localhost`` and loopback addresses which no proxy of the environment is asked
    for. What listens there may still pass requests on, which cannot be seen from here.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    proxied = parts.scheme in urllib.request.getproxies_environment()
    if proxied and not urllib.request.proxy_bypass(host):
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def addresses(models: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Address of each model behind an endpoint; others compute on this machine.

    Parameters
    ----------
    models : model id to its entry
    """
    return {name: one["endpoint"]["url"] for name, one in models.items() if "endpoint" in one}


def sharing_refusal(
    dataset: str, path: str, away: Mapping[str, str], personal: Mapping[str, str]
) -> str:
    """Return why a dataset is not sent, what looks personal in it, and what to do.

    Parameters
    ----------
    path : the dataset's YAML
    away : model to the address that rows would be sent to
    personal : column to the reason why it looks personal
    """
    targets = ", ".join(f"{address} ({name})" for name, address in away.items())
    return (
        f"dataset '{dataset}' would be sent to {targets}, which its YAML does not allow; "
        f"{_listed(personal)}. Drop what must not leave this machine, then write share: true into "
        f"{path}, or use only models on this machine"
    )


def sharing_notice(dataset: str, model: str, address: str, personal: Mapping[str, str]) -> str:
    """Return what is sent where, as the entry allows."""
    return (
        f"dataset '{dataset}': its features, and the labels of examples, are sent to {address} "
        f"({model}), as its entry allows; {_listed(personal)}"
    )


def _listed(personal: Mapping[str, str]) -> str:
    listed = ", ".join(f"'{column}' ({why})" for column, why in personal.items())
    return f"columns of its file that look personal: {listed or 'none found'}"
