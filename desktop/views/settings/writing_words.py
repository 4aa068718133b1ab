"""What the settings page says about generated rewrites: above all what leaves this computer."""

from __future__ import annotations

from desktop.services.writing import host_of

NO_MODEL = (
    "No model that writes is installed yet. Add one on the Models page; until then Segue's own "
    "rules work alone."
)
NO_SERVER = "Fill in the address of the server; until then Segue's own rules work alone."
_SENT = "The marked sentences, the text around them and the topic are sent to {host}"
_SENT_ELSEWHERE = (
    "Leaves this computer. "
    + _SENT
    + ", also when Segue checks again by itself. Name only a server that you trust with your essays."
)
_SENT_HERE = _SENT + ", another program on this computer."
_HERE = ("localhost", "127.0.0.1", "::1")


def words_on_writing(writer: str, address: str, *, has_model: bool) -> str:
    """What the user should know of their choice; empty where there is nothing to say."""
    if writer == "computer":
        return "" if has_model else NO_MODEL
    if writer != "server":
        return ""
    host = host_of(address)
    if not host:
        return NO_SERVER
    return (_SENT_HERE if host in _HERE else _SENT_ELSEWHERE).format(host=host)
