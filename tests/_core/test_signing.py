"""Signatures of model files: what was signed is what is loaded, or nothing is."""

import io
import subprocess
import zipfile

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from sklearn.linear_model import LogisticRegression

from stakes.errors import InputError
from stakes.model_file import load_model, save_model, sign_model


def write_keys(folder, name="key", private=None, form=PrivateFormat.PKCS8, lock=None):
    private = private or ed25519.Ed25519PrivateKey.generate()
    pem, lock = Encoding.PEM, lock or NoEncryption()
    (folder / f"{name}.pem").write_bytes(private.private_bytes(pem, form, lock))
    ssh = form is PrivateFormat.OpenSSH
    how = (
        (Encoding.OpenSSH, PublicFormat.OpenSSH)
        if ssh
        else (pem, PublicFormat.SubjectPublicKeyInfo)
    )
    (folder / f"{name}.pub").write_bytes(private.public_key().public_bytes(*how))
    return folder / f"{name}.pem", folder / f"{name}.pub"


@pytest.fixture
def saved(tmp_path):
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    save_model(model, tmp_path / "m", target="fraud")
    return tmp_path / "m"


@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.OpenSSH])
def test_a_signed_file_is_loaded_with_its_key_and_without(saved, tmp_path, form):
    private, public = write_keys(tmp_path, form=form)
    sign_model(saved, private)
    for key in (public, None):
        assert load_model(saved, verify=key).facts == {"target": "fraud"}
    assert zipfile.ZipFile(saved).testzip() is None
    other, other_public = write_keys(tmp_path, "other")
    with pytest.raises(InputError, match=r"does not fit the key.*was not opened"):
        load_model(saved, verify=other_public)
    sign_model(saved, other)  # replaces the signature
    assert load_model(saved, verify=other_public).model.predict([[2.0]]).item() == 1
    with pytest.raises(InputError, match="does not fit"):
        load_model(saved, verify=public)


def test_every_changed_byte_is_seen(saved, tmp_path):
    private, public = write_keys(tmp_path)
    sign_model(saved, private)
    whole = saved.read_bytes()
    for at in [*range(0, len(whole), 97), *range(len(whole) - 110, len(whole))]:
        damaged = bytearray(whole)
        damaged[at] ^= 1
        saved.write_bytes(damaged)
        with pytest.raises(InputError, match=r"does not fit|is not signed"):
            load_model(saved, verify=public)
    for data in (whole[:-1], whole + b"\0", whole + whole, whole[:50] + whole):
        saved.write_bytes(data)
        with pytest.raises(InputError, match=r"does not fit|is not signed"):
            load_model(saved, verify=public)


def test_a_signature_is_of_one_file_only(saved, tmp_path):
    private, public = write_keys(tmp_path)
    out = io.BytesIO(saved.read_bytes())
    sign_model(saved, private)
    signature = saved.read_bytes()[-83:]  # with the length of the comment
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("more.bin", b"x")
    saved.write_bytes(out.getvalue()[:-2] + signature)
    assert load_model(saved).facts == {"target": "fraud"}
    with pytest.raises(InputError, match="does not fit"):
        load_model(saved, verify=public)


def test_keys_that_are_none_are_refused(saved, tmp_path):
    private, public = write_keys(tmp_path)
    with pytest.raises(InputError, match="is not signed; sign it with stakes train --sign"):
        load_model(saved, verify=public)
    with pytest.raises(InputError, match="no key file 'nowhere'; make one with: openssl genpkey"):
        sign_model(saved, "nowhere")
    with pytest.raises(InputError, match="is a public key, which can only verify; make one"):
        sign_model(saved, public)
    with pytest.raises(InputError, match="is a private key, which only the signer needs; get it"):
        load_model(saved, verify=private)
    for path, use in ((public, sign_model), (private, lambda *of: load_model(saved, verify=of[1]))):
        with pytest.raises(InputError) as caught:
            use(saved, path)
        # who follows the advice must not overwrite a key
        assert f"-out {path}" not in str(caught.value)
    locked, _ = write_keys(tmp_path, "locked", lock=BestAvailableEncryption(b"x"))
    with pytest.raises(InputError, match="ed25519 private key, or has a password; make one"):
        sign_model(saved, locked)
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    keys = write_keys(tmp_path, "rsa", other)
    with pytest.raises(InputError, match="is not an ed25519 private key"):
        sign_model(saved, keys[0])
    with pytest.raises(InputError, match="is not an ed25519 public key"):
        load_model(saved, verify=keys[1])
    with pytest.raises(InputError, match="is not a stakes model file"):
        sign_model(private, private)


def test_without_the_package_the_extra_is_named(saved, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(InputError, match=r"pip install 'stakes\[sign\]'"):
        sign_model(saved, saved)


def test_keys_of_openssl_work(saved, tmp_path):
    try:
        for words in (
            ("genpkey", "-algorithm", "ed25519", "-out", "a.pem"),
            ("pkey", "-in", "a.pem", "-pubout", "-out", "a.pub"),
        ):
            subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    sign_model(saved, tmp_path / "a.pem")
    assert load_model(saved, verify=tmp_path / "a.pub").version
