"""An OpenID Connect provider as a process: oidc-provider-mock (Authlib, Flask) with additions.

It enforces PKCE, which it leaves out itself; `POST /rotate` gives it a new key; `POST /sign` signs
any claims with its key, for tokens that it would never issue; `GET /asked` counts requests by path.
"""

import base64
import hashlib
import io
import json
import sys
from collections import Counter
from typing import Any
from urllib.parse import parse_qs

ASKED: Counter[str] = Counter()


def provider() -> Any:
    """Build the provider; imports are here because tests only run this file as a process."""
    import authlib.jose
    import flask
    import oidc_provider_mock

    jose: Any = authlib.jose

    app: Any = oidc_provider_mock.app(require_nonce=True)

    def rotate() -> Any:
        flask.g.oidc_provider_mock_storage.jwk = jose.RSAKey.generate_key(is_private=True)
        return "", 204

    def sign() -> Any:
        key = flask.g.oidc_provider_mock_storage.jwk
        asked: Any = flask.request.json
        header = {"alg": "RS256", "kid": key.as_dict()["kid"]} | asked.get("header", {})
        signed = jose.JsonWebToken(["RS256"]).encode(header, asked["claims"], key)
        return flask.jsonify({"token": signed.decode()})

    app.post("/rotate")(rotate)
    app.post("/sign")(sign)
    app.get("/asked")(lambda: flask.jsonify(ASKED))
    return with_pkce(app)


def with_pkce(app: Any) -> Any:
    challenges: set[str] = set()

    def call(environ: dict[str, Any], start: Any) -> Any:
        path = environ["PATH_INFO"]
        ASKED[path] += 1
        if path == "/oauth2/authorize":
            asked = parse_qs(environ.get("QUERY_STRING", ""))
            if asked.get("code_challenge_method") != ["S256"]:
                return refused(start, "invalid_request")
            challenges.add(asked["code_challenge"][0])
        if path == "/oauth2/token":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = io.BytesIO(body)
            verifier = parse_qs(body.decode()).get("code_verifier", [""])[0]
            digest = hashlib.sha256(verifier.encode()).digest()
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() not in challenges:
                return refused(start, "invalid_grant")
        return app(environ, start)

    return call


def refused(start: Any, why: str) -> list[bytes]:
    start("400 Bad Request", [("Content-Type", "application/json")])
    return [json.dumps({"error": why}).encode()]


def main() -> None:
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", int(sys.argv[1]), provider(), threaded=True)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
