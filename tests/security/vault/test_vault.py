"""The vault's file: round trips, damage of every kind, and writers that die half-way."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seasoned.core.errors import BadInput, Changed, NotFound, VaultError, WrongPassphrase
from seasoned.security.vault.crypto import Forged, KdfParams, derived_key, sealed, unsealed
from seasoned.security.vault.vault import Vault

CHEAP = KdfParams(iterations=1, lanes=1, memory_kib=8)
PASSPHRASE = "four words of somebody"


def small(folder: Path) -> Vault:
    vault = Vault.create(folder / "vault.json", PASSPHRASE, CHEAP)
    vault.put({"a": "one"}, {"p": {"llm.model": "m"}}, active="p")
    return vault


def everything(vault: Vault) -> object:
    return (
        {name: vault.secret(name) for name in vault.names("secret")},
        {name: vault.profile(name) for name in vault.names("profile")},
        vault.active,
    )


WHOLE = ({"a": "one"}, {"p": {"llm.model": "m"}}, "p")


def test_each_cost_goes_to_its_own_parameter() -> None:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    salt = b"0123456789abcdef"
    kdf = Argon2id(salt=salt, length=32, iterations=3, lanes=2, memory_cost=64)
    assert derived_key("pass word", salt, KdfParams(3, 2, 64)) == kdf.derive(b"pass word")


def test_argon2id_of_the_library_is_that_of_rfc_9106() -> None:
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    kdf = Argon2id(
        salt=b"\x02" * 16,
        length=32,
        iterations=3,
        lanes=4,
        memory_cost=32,
        ad=b"\x04" * 12,
        secret=b"\x03" * 8,
    )
    expected = "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"
    assert kdf.derive(b"\x01" * 32).hex() == expected


def test_aes_256_gcm_opens_the_sample_of_its_specification() -> None:
    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2)
    nonce = bytes.fromhex("cafebabefacedbaddecaf888")
    text = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    bound = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    data = bytes.fromhex(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
    )
    tag = bytes.fromhex("76fc6ece0f4e1768cddf8853bb2d551b")
    assert unsealed(key, nonce + data + tag, bound) == text


@given(st.binary(max_size=200), st.binary(max_size=40), st.binary(min_size=32, max_size=32))
def test_what_is_sealed_opens_only_where_it_belongs(
    content: bytes, place: bytes, key: bytes
) -> None:
    data = sealed(key, content, place)
    assert unsealed(key, data, place) == content
    with pytest.raises(Forged):
        unsealed(key, data, place + b"x")


@given(value=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    path = tmp_path_factory.mktemp("v") / "vault.json"
    Vault.create(path, PASSPHRASE, CHEAP).put({"a": value}, {"p": {"agent.model": value}})
    again = Vault.open(path, PASSPHRASE)
    assert again.secret("a") == value
    assert again.profile("p") == {"agent.model": value}
    assert value not in repr(again) or len(value) < 20


def test_only_the_owner_may_read_it_and_no_value_stands_in_it(tmp_path: Path) -> None:
    vault = small(tmp_path)
    vault.set_secret("token", "distinctive-value")
    assert vault.path.stat().st_mode & 0o777 == 0o600
    assert b"distinctive" not in vault.path.read_bytes()


def test_every_flipped_bit_is_an_error_or_harmless(tmp_path: Path) -> None:
    vault = small(tmp_path)
    good, harmless = vault.path.read_bytes(), 0
    told = set[str]()
    for place in range(len(good)):
        for bit in range(8):
            bad = bytearray(good)
            bad[place] ^= 1 << bit
            try:
                found = Vault.read(bytes(bad), vault.path, PASSPHRASE)
            except VaultError as error:
                told.add(str(error))
            else:
                assert everything(found) == WHOLE, (place, bit)
                harmless += 1
    assert all(str(vault.path) in error for error in told)
    assert harmless < len(good)  # white space, and bits of base64 that mean nothing


def test_a_file_cut_short_at_any_length_is_an_error(tmp_path: Path) -> None:
    vault = small(tmp_path)
    good = vault.path.read_bytes()
    for length in range(len(good) - 1):  # the last byte is a line's end
        with pytest.raises(VaultError):
            Vault.read(good[:length], vault.path, PASSPHRASE)


def test_records_cannot_be_swapped_removed_or_brought_back(tmp_path: Path) -> None:
    vault = small(tmp_path)
    vault.set_secret("b", "two")
    before = json.loads(vault.path.read_bytes())

    def refused(change: dict[str, object]) -> None:
        with pytest.raises(VaultError, match="damaged or changed"):
            Vault.read(json.dumps({**before, **change}).encode(), vault.path, PASSPHRASE)

    profile, a, b = before["records"]
    refused({"records": [profile, {**a, "data": b["data"]}, {**b, "data": a["data"]}]})
    refused({"records": [profile, a]})
    refused({"active": ""})
    vault.remove("secret", "b")
    before = json.loads(vault.path.read_bytes())
    refused({"records": [*before["records"], b]})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 2}, "update Seasoned"),
        ({"format": "other"}, "does not begin as a vault"),
        ({"records": {}}, "damaged"),
        ({"more": 1}, "damaged"),
    ],
)
def test_a_file_of_another_kind_is_told_apart(
    tmp_path: Path, change: dict[str, object], told: str
) -> None:
    vault = small(tmp_path)
    content = json.dumps({**json.loads(vault.path.read_bytes()), **change}).encode()
    vault.path.write_bytes(content)
    with pytest.raises(VaultError, match=told):
        Vault.open(vault.path, PASSPHRASE)
    assert vault.path.read_bytes() == content


@pytest.mark.parametrize(
    "absurd",
    [
        {"memoryKib": 10**9},
        {"memoryKib": 10**6},
        {"iterations": 10**6},
        {"iterations": 32, "memoryKib": 200_000},
        {"lanes": 0},
    ],
)
def test_absurd_costs_of_the_key_derivation_are_refused(
    tmp_path: Path, absurd: dict[str, int]
) -> None:
    found = json.loads(small(tmp_path).path.read_bytes())
    found["kdf"] |= absurd
    with pytest.raises(VaultError, match="key derivation asks for"):
        Vault.read(json.dumps(found).encode(), tmp_path / "vault.json", PASSPHRASE)


def test_a_wrong_passphrase_is_told_and_changes_nothing(tmp_path: Path) -> None:
    vault = small(tmp_path)
    before = vault.path.read_bytes()
    with pytest.raises(WrongPassphrase, match="does not open"):
        Vault.open(vault.path, "another")
    with pytest.raises(WrongPassphrase):
        vault.rotate("another")
    with pytest.raises(BadInput, match="already"):
        Vault.create(vault.path, "another", CHEAP)
    assert vault.path.read_bytes() == before


def test_a_new_passphrase_changes_nothing_but_the_wrapped_key(tmp_path: Path) -> None:
    vault = small(tmp_path)
    before = json.loads(vault.path.read_bytes())
    vault.change_passphrase("new words", CHEAP)
    after = json.loads(vault.path.read_bytes())
    assert {name for name in after if after[name] != before[name]} == {"kdf", "key"}
    assert everything(Vault.open(vault.path, "new words")) == WHOLE
    with pytest.raises(WrongPassphrase):
        Vault.open(vault.path, PASSPHRASE)


def test_rotation_encrypts_everything_anew(tmp_path: Path) -> None:
    vault = small(tmp_path)
    before = json.loads(vault.path.read_bytes())
    vault.rotate(PASSPHRASE)
    after = json.loads(vault.path.read_bytes())
    assert not [one for one in after["records"] if one in before["records"]]
    assert everything(Vault.open(vault.path, PASSPHRASE)) == WHOLE
    vault.set_secret("b", "two")
    assert Vault.open(vault.path, PASSPHRASE).secret("b") == "two"


KILLED = """
import os, signal, sys
from pathlib import Path
from seasoned.security.vault.vault import Vault
vault = Vault.open(Path(sys.argv[1]), sys.argv[2])
os.replace = os.rename = Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
vault.rotate(sys.argv[2]) if sys.argv[3] == "rotate" else vault.change_passphrase("new")
"""


@pytest.mark.parametrize("deed", ["rotate", "passphrase"])
def test_a_writer_killed_before_the_rename_loses_nothing(tmp_path: Path, deed: str) -> None:
    vault = small(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(vault.path), PASSPHRASE, deed],
        env=dict(os.environ),
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2  # the fresh file was written
    again = Vault.open(vault.path, PASSPHRASE)
    assert everything(again) == WHOLE
    again.rotate(PASSPHRASE)
    assert everything(Vault.open(vault.path, PASSPHRASE)) == WHOLE
    assert list(tmp_path.iterdir()) == [vault.path]  # what the killed one left is gone


def test_a_link_to_the_vault_stays_a_link(tmp_path: Path) -> None:
    kept = small(tmp_path).path.rename(tmp_path / "elsewhere.json")
    link = tmp_path / "vault.json"
    link.symlink_to(kept.name)
    Vault.open(link, PASSPHRASE).set_secret("b", "two")
    assert link.is_symlink()
    assert Vault.open(kept, PASSPHRASE).secret("b") == "two"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_link_to_a_vault_that_is_away_is_an_error_and_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "vault.json"
    link.symlink_to("gone.json")
    with pytest.raises(VaultError, match=r"is a link to gone\.json, which is not there"):
        Vault.open(link, PASSPHRASE)
    with pytest.raises(BadInput, match="already"):
        Vault.create(link, PASSPHRASE, CHEAP)
    assert link.is_symlink()


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "vault.json")
    with pytest.raises(VaultError, match="is not a file"):
        Vault.open(tmp_path / "vault.json", PASSPHRASE)


def test_two_writers_of_different_things_both_succeed(tmp_path: Path) -> None:
    one = small(tmp_path)
    other = Vault.open(one.path, PASSPHRASE)
    one.set_secret("b", "two")
    other.set_secret("c", "three")
    one.remove("secret", "a")
    other.rename_secret("c", "d")
    again = Vault.open(one.path, PASSPHRASE)
    assert everything(again) == ({"b": "two", "d": "three"}, WHOLE[1], "p")


def test_of_two_writers_of_the_same_thing_the_second_is_told(tmp_path: Path) -> None:
    one = small(tmp_path)
    other = Vault.open(one.path, PASSPHRASE)
    one.set_profile("p", {"llm.model": "n"})
    with pytest.raises(Changed, match="run this again"):
        other.set_profile("p", {"agent.model": "o"})
    assert Vault.open(one.path, PASSPHRASE).profile("p") == {"llm.model": "n"}
    other = Vault.open(one.path, PASSPHRASE)
    one.use("")
    with pytest.raises(Changed):
        other.use("p")


def test_a_writer_keeps_the_passphrase_that_another_changed_but_not_an_old_key(
    tmp_path: Path,
) -> None:
    one = small(tmp_path)
    other = Vault.open(one.path, PASSPHRASE)
    one.change_passphrase("new words", CHEAP)
    other.set_secret("b", "two")
    assert Vault.open(one.path, "new words").secret("b") == "two"
    with pytest.raises(WrongPassphrase):
        Vault.open(one.path, PASSPHRASE)
    one = Vault.open(one.path, "new words")
    one.rotate("new words")
    with pytest.raises(Changed):
        other.set_secret("c", "three")
    assert Vault.open(one.path, "new words").names("secret") == ["a", "b"]


WRITER = """
import sys
from pathlib import Path
from seasoned.security.vault.vault import Vault
vault = Vault.open(Path(sys.argv[1]), sys.argv[2])
for number in range(20):
    vault.set_secret(f"{sys.argv[3]}.{number}", "value")
"""


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = small(tmp_path).path
    command = [sys.executable, "-c", WRITER, str(path), PASSPHRASE]
    several = [subprocess.Popen([*command, name]) for name in "xyz"]
    assert [one.wait(timeout=60) for one in several] == [0, 0, 0]
    assert len(Vault.open(path, PASSPHRASE).names("secret")) == 61


def test_secrets_and_profiles_are_removed_and_renamed(tmp_path: Path) -> None:
    vault = small(tmp_path)
    vault.rename_secret("a", "z")
    assert vault.secret("z") == "one"
    vault.remove("secret", "z")
    with pytest.raises(NotFound, match="secrets list"):
        vault.secret("z")
    with pytest.raises(BadInput, match="in use"):
        vault.remove("profile", "p")
    vault.use("")
    vault.remove("profile", "p")
    with pytest.raises(NotFound, match="config profiles"):
        vault.use("p")
    with pytest.raises(BadInput, match="cannot name"):
        vault.set_secret("a b", "x")
