"""Fetching a file from a hub that behaves, and from hubs that do not."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from engine.errors import Cancelled, DownloadError, UsageError
from engine.models.download import ATTEMPTS, WantedFile, fetch
from engine.models.hub import OFFICIAL, Hub, InterruptedTransfer
from tests.models.catalogue_entries import WEIGHTS
from tests.models.hub_server import COMMIT, HubServer

SHA256 = hashlib.sha256(WEIGHTS).hexdigest()


@pytest.fixture
def wanted(hub: Hub, tmp_path: Path) -> WantedFile:
    url = hub.url("someone/model", COMMIT, "model.gguf")
    return WantedFile(url, tmp_path / "model.gguf", len(WEIGHTS), SHA256)


def get(hub: Hub, wanted: WantedFile) -> str:
    return fetch(hub, wanted, sleep=lambda _seconds: None)


def test_a_file_arrives_whole_with_its_checksum(hub: Hub, wanted: WantedFile) -> None:
    assert get(hub, wanted) == SHA256
    assert wanted.target.read_bytes() == WEIGHTS
    assert not wanted.part.exists()


def test_progress_ends_at_the_whole_file(hub: Hub, wanted: WantedFile) -> None:
    heard: list[int] = []
    fetch(hub, wanted, on_progress=heard.append)
    assert heard[0] == 0
    assert heard == sorted(heard)
    assert heard[-1] == len(WEIGHTS)


def test_a_redirect_to_another_address_is_followed(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    server.redirects = True
    assert get(hub, wanted) == SHA256
    assert server.requests[-1][0] == "/cdn/model.gguf"


def test_a_cut_connection_goes_on_where_it_was_cut(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    server.faults, server.cut_after = 2, 40_960
    assert get(hub, wanted) == SHA256
    assert server.downloads() == ["", "bytes=40960-", "bytes=81920-"]


def test_a_cut_redirected_connection_asks_the_second_address_for_the_rest(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    server.redirects, server.faults, server.cut_after = True, 1, 40_960
    assert get(hub, wanted) == SHA256
    assert server.requests[-1] == ("/cdn/model.gguf", "bytes=40960-")


def test_a_server_that_stalls_is_given_up_and_asked_again(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    server.faults, server.stall_after = 1, 40_960
    assert get(hub, wanted) == SHA256
    assert server.downloads()[-1] == "bytes=40960-"


def test_a_server_that_only_stalls_is_named_and_the_bytes_are_kept(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    server.faults, server.stall_after = 100, 0
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1:\d+ sent nothing") as caught:
        get(hub, wanted)
    assert "kept" in caught.value.hint
    assert len(server.downloads()) == ATTEMPTS


def test_a_busy_server_is_asked_again(server: HubServer, hub: Hub, wanted: WantedFile) -> None:
    server.faults, server.status = 2, 503
    assert get(hub, wanted) == SHA256


def test_a_server_that_knows_no_ranges_sends_everything_again(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    server.faults, server.cut_after, server.knows_ranges = 1, 40_960, False
    assert get(hub, wanted) == SHA256
    assert wanted.target.read_bytes() == WEIGHTS


def test_a_later_call_goes_on_with_what_an_earlier_one_left(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    wanted.part.write_bytes(WEIGHTS[:100_000])
    assert get(hub, wanted) == SHA256
    assert server.downloads() == ["bytes=100000-"]


def test_a_left_part_with_a_wrong_byte_is_found_out(hub: Hub, wanted: WantedFile) -> None:
    wanted.part.write_bytes(b"x" + WEIGHTS[1:100_000])
    with pytest.raises(DownloadError, match="checksum"):
        get(hub, wanted)
    assert get(hub, wanted) == SHA256


def test_a_left_part_that_is_too_long_is_fetched_anew(hub: Hub, wanted: WantedFile) -> None:
    wanted.part.write_bytes(WEIGHTS + b"more")
    assert get(hub, wanted) == SHA256


def test_a_left_part_that_is_complete_needs_no_request(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    wanted.part.write_bytes(WEIGHTS)
    assert get(hub, wanted) == SHA256
    assert server.downloads() == []


def test_a_wrong_checksum_keeps_nothing(server: HubServer, hub: Hub, wanted: WantedFile) -> None:
    server.faults, server.sends = 1, b"x" + WEIGHTS[1:]
    with pytest.raises(DownloadError, match="damaged or altered"):
        get(hub, wanted)
    assert list(wanted.target.parent.glob("model.gguf*")) == []


def test_a_sign_in_page_in_place_of_the_file_is_recognised(
    server: HubServer, hub: Hub, wanted: WantedFile
) -> None:
    server.faults, server.sends = 1, b"<html>Please sign in</html>"
    with pytest.raises(DownloadError, match="offers 27 bytes") as caught:
        get(hub, wanted)
    assert "sign in" in caught.value.hint


@pytest.mark.parametrize(("status", "words"), [(404, "no longer"), (403, "without permission")])
def test_what_will_not_change_is_not_tried_again(
    server: HubServer, hub: Hub, wanted: WantedFile, status: int, words: str
) -> None:
    server.faults, server.status = 100, status
    with pytest.raises(DownloadError, match=words):
        get(hub, wanted)
    assert len(server.downloads()) == 1


def test_a_stop_keeps_the_bytes_so_far(server: HubServer, hub: Hub, wanted: WantedFile) -> None:
    heard: list[int] = []

    def stop_half_way() -> None:
        if heard and heard[-1] > 100_000:
            raise Cancelled

    with pytest.raises(Cancelled):
        fetch(hub, wanted, on_progress=heard.append, check_cancelled=stop_half_way)
    left = wanted.part.stat().st_size
    assert 100_000 < left < len(WEIGHTS)
    assert get(hub, wanted) == SHA256
    assert server.downloads()[-1] == f"bytes={left}-"


def test_a_small_file_is_checked_by_its_name_in_git(
    server: HubServer, hub: Hub, tmp_path: Path
) -> None:
    content = server.files["README.md"]
    right = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    url = hub.url("someone/model", COMMIT, "README.md")
    small = WantedFile(url, tmp_path / "README.md", len(content), "", right)
    assert get(hub, small) == hashlib.sha256(content).hexdigest()
    with pytest.raises(DownloadError, match="checksum"):
        get(hub, WantedFile(url, tmp_path / "again.md", len(content), "", "0" * 40))


def test_a_folder_that_cannot_be_written_to_is_named(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    url = hub.url("someone/model", COMMIT, "model.gguf")
    with pytest.raises(DownloadError, match="cannot be written"):
        get(hub, WantedFile(url, tmp_path / "file" / "model.gguf", len(WEIGHTS), SHA256))


def test_a_listing_has_the_commit_the_sizes_and_the_checksums(server: HubServer, hub: Hub) -> None:
    server.small = frozenset({"README.md"})
    listing = hub.listing("someone/model", "main")
    assert listing.commit == COMMIT
    weights, readme = listing.files
    assert (weights.name, weights.bytes, weights.sha256) == ("model.gguf", len(WEIGHTS), SHA256)
    assert readme.sha256 == ""
    assert len(readme.git_sha1) == 40


def test_nobody_at_the_address_is_an_interruption() -> None:
    hub = Hub(endpoint="http://127.0.0.1:9", stall_seconds=1.0)
    with pytest.raises(InterruptedTransfer, match=r"127\.0\.0\.1:9"):
        hub.listing("someone/model", "main")
    hub.close()


def test_a_page_that_is_no_hub_is_named(server: HubServer, tmp_path: Path) -> None:
    hub = Hub(endpoint=f"{server.address}/cdn/README.md?")
    with pytest.raises(DownloadError, match="does not answer as a model hub"):
        hub.listing("someone/model", "main")
    hub.close()


@pytest.mark.parametrize("address", ["huggingface.co", "ftp://host", "http://", "http://[x"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        Hub(endpoint=address)


@pytest.mark.parametrize("proxy", ["nonsense", "gopher://host:1"])
def test_a_proxy_that_is_none_is_refused(proxy: str) -> None:
    with pytest.raises(UsageError, match="proxy"):
        Hub(proxy=proxy)


def test_everything_goes_through_the_proxy(server: HubServer) -> None:
    hub = Hub(endpoint="http://hub.invalid", proxy=server.address)
    assert hub.listing("someone/model", "main").commit == COMMIT
    hub.close()


def test_the_mirror_of_the_environment_is_used(
    server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"{server.address}/")
    hub = Hub()
    assert hub.endpoint == server.address
    assert hub.listing("someone/model", "main").commit == COMMIT
    hub.close()


def test_without_settings_the_official_hub_is_meant() -> None:
    hub = Hub()
    assert hub.endpoint == OFFICIAL
    hub.close()


def test_a_mirror_gets_no_token_and_learns_nothing_but_the_program(
    server: HubServer, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub.listing("someone/model", "main")
    assert server.tokens == [""]
    assert server.agents[0].startswith("segue/")


def test_the_hub_itself_gets_the_users_token(
    server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setattr("engine.models.hub.OFFICIAL", server.address)
    server.token = "hf_secret"
    hub = Hub(endpoint=server.address)
    assert hub.listing("someone/model", "main").commit == COMMIT
    hub.close()


def test_where_downloads_are_switched_off_no_request_goes_out(
    server: HubServer, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DownloadError, match="switched off"):
        hub.listing("someone/model", "main")
    assert server.requests == []
