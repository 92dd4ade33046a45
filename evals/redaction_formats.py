"""Made-up secrets of many kinds, in the formats that their vendors document.

No secret stands here: each is drawn from its format with a seeded generator. The formats were
written down from the vendors' documentation and from the facts (prefixes, lengths, alphabets) in
gitleaks' and detect-secrets' rules, before the patterns of `seasoned.security` were.
"""

import base64
import random
import string
from collections.abc import Callable

Draw = Callable[[random.Random], str]

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
HEX = DIGITS + "abcdef"
ALNUM = string.ascii_letters + DIGITS
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"
BASE32 = UPPER + "234567"


def some(alphabet: str, length: int) -> Draw:
    """Draw that many characters, with every class of the alphabet in it, as real ones have."""

    def draw(rng: random.Random) -> str:
        classes = [
            kind for kind in (LOWER, UPPER, DIGITS) if set(kind) & set(alphabet) and length > 9
        ]
        while True:
            text = "".join(rng.choice(alphabet) for _ in range(length))
            if all(set(kind) & set(text) for kind in classes) and text[-1] not in "-_.":
                return text

    return draw


def joined(*parts: str | Draw) -> Draw:
    return lambda rng: "".join(part if isinstance(part, str) else part(rng) for part in parts)


def uuid(rng: random.Random) -> str:
    return "-".join(some(HEX, length)(rng) for length in (8, 4, 4, 4, 12))


def encoded(inner: Draw) -> Draw:
    return lambda rng: base64.b64encode(inner(rng).encode()).decode()


def web_token(rng: random.Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    body = f'{{"sub":"{rng.randrange(10**9)}","iat":{rng.randrange(10**9)}}}'
    head = part('{"alg":"HS256","typ":"JWT"}')
    return f"{head}.{part(body)}.{some(WORD, 43)(rng)}"


def block(kind: str, lines: int = 6) -> Draw:
    """Draw an armoured private key."""

    def draw(rng: random.Random) -> str:
        body = "\n".join(some(BASE64, 64)(rng) for _ in range(lines))
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"

    return draw


def putty(rng: random.Random) -> str:
    body = "\n".join(some(BASE64, 64)(rng) for _ in range(3))
    return (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: laptop\n"
        f"Public-Lines: 1\nAAAAC3Nza{some(BASE64, 40)(rng)}\nPrivate-Lines: 3\n{body}\n"
        f"Private-MAC: {some(HEX, 64)(rng)}"
    )


def password(rng: random.Random) -> str:
    """Draw a password as people choose them: a word or two, digits, perhaps a sign."""
    words = "winter dragon coffee Berlin monkey Summer orange Rocket tiger Falcon".split()
    sign = rng.choice(["", "!", "#", "%", "-", "_", "."])
    return f"{rng.choice(words)}{sign}{rng.choice(words)}{rng.randrange(10, 9999)}"


# Recognisable wherever they stand.
TOKENS: dict[str, Draw] = {
    "1password service account": joined("ops_eyJ", some(ALNUM, 260)),
    "adafruit": joined("aio_", some(ALNUM, 28)),
    "age": joined("AGE-SECRET-KEY-1", some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "airtable": joined("pat", some(ALNUM, 14), ".", some(HEX, 64)),
    "alibaba": joined("LTAI", some(ALNUM, 20)),
    "anthropic": joined("sk-ant-api03-", some(WORD, 93), "AA"),
    "artifactory": joined("AKCp", some(ALNUM, 69)),
    "atlassian": joined("ATATT3xFfGF0", some(WORD, 180), "=", some(HEX.upper(), 8)),
    "aws key id": joined("AKIA", some(BASE32, 16)),
    "aws session key id": joined("ASIA", some(BASE32, 16)),
    "azure app secret": joined(some(ALNUM, 3), "8Q~", some(ALNUM + "_.~-", 34)),
    "bitbucket app password": joined("ATBB", some(ALNUM, 32)),
    "buildkite": joined("bkua_", some(HEX, 40)),
    "cerebras": joined("csk-", some(LOWER + DIGITS, 48)),
    "circleci": joined("CCIPAT_", some(ALNUM, 22), "_", some(HEX, 40)),
    "clojars": joined("CLOJARS_", some(LOWER + DIGITS, 60)),
    "cloudflare origin": joined("v1.0-", some(HEX, 24), "-", some(HEX, 146)),
    "contentful": joined("CFPAT-", some(WORD, 43)),
    "databricks": joined("dapi", some(HEX, 32), "-2"),
    "digitalocean": joined("dop_v1_", some(HEX, 64)),
    "discord bot": joined("M", some(ALNUM, 25), ".G", some(WORD, 5), ".", some(WORD, 38)),
    "docker hub": joined("dckr_pat_", some(WORD, 27)),
    "doppler": joined("dp.pt.", some(ALNUM, 43)),
    "duffel": joined("duffel_live_", some(WORD, 43)),
    "dynatrace": joined("dt0c01.", some(BASE32, 24), ".", some(BASE32, 64)),
    "easypost": joined("EZAK", some(ALNUM, 54)),
    "figma": joined("figd_", some(WORD, 40)),
    "flutterwave": joined("FLWSECK_TEST-", some(HEX, 32), "-X"),
    "fly.io": joined("fm2_", some(BASE64, 160)),
    "github": joined("ghp_", some(ALNUM, 36)),
    "github app": joined("ghs_", some(ALNUM, 36)),
    "github fine-grained": joined("github_pat_", some(ALNUM, 22), "_", some(ALNUM, 59)),
    "gitlab": joined("glpat-", some(WORD, 20)),
    "gitlab runner": joined("glrt-", some(WORD, 20)),
    "google api key": joined("AIza", some(WORD, 35)),
    "google client secret": joined("GOCSPX-", some(WORD, 28)),
    "google oauth": joined("ya29.a0Af", some(WORD, 150)),
    "grafana cloud": joined("glc_", some(ALNUM, 90), "=="),
    "grafana service account": joined("glsa_", some(ALNUM, 32), "_", some(HEX, 8)),
    "groq": joined("gsk_", some(ALNUM, 52)),
    "harness": joined("pat.", some(ALNUM, 22), ".", some(HEX, 24), ".", some(ALNUM, 20)),
    "heroku": joined("HRKU-AA", some(WORD, 58)),
    "hubspot": joined("pat-na1-", uuid),
    "hugging face": joined("hf_", some(ALNUM, 34)),
    "langsmith": joined("lsv2_pt_", some(HEX, 32), "_", some(HEX, 10)),
    "linear": joined("lin_api_", some(ALNUM, 40)),
    "mailchimp": joined(some(HEX, 32), "-us12"),
    "mailgun": joined("key-", some(HEX, 32)),
    "mapbox": joined("sk.eyJ1Ijoi", some(ALNUM, 60), ".", some(WORD, 22)),
    "netlify": joined("nfp_", some(ALNUM, 36)),
    "new relic": joined("NRAK-", some(UPPER + DIGITS, 27)),
    "neon": joined("napi_", some(LOWER + DIGITS, 64)),
    "notion": joined("ntn_", some(DIGITS, 11), some(ALNUM, 35)),
    "npm": joined("npm_", some(ALNUM, 36)),
    "nuget": joined("oy2", some(LOWER + DIGITS, 43)),
    "octopus": joined("API-", some(UPPER + DIGITS, 26)),
    "openai": joined("sk-proj-", some(WORD, 74), "T3BlbkFJ", some(WORD, 74)),
    "openai old": joined("sk-", some(ALNUM, 20), "T3BlbkFJ", some(ALNUM, 20)),
    "openrouter": joined("sk-or-v1-", some(HEX, 64)),
    "openshift": joined("sha256~", some(WORD, 43)),
    "perplexity": joined("pplx-", some(ALNUM, 48)),
    "planetscale": joined("pscale_tkn_", some(WORD, 43)),
    "postman": joined("PMAK-", some(HEX, 24), "-", some(HEX, 34)),
    "prefect": joined("pnu_", some(ALNUM, 36)),
    "pulumi": joined("pul-", some(HEX, 40)),
    "pypi": joined("pypi-AgEIcHlwaS5vcmc", some(WORD, 150)),
    "razorpay": joined("rzp_live_", some(ALNUM, 14)),
    "readme": joined("rdme_", some(LOWER + DIGITS, 70)),
    "replicate": joined("r8_", some(ALNUM, 37)),
    "resend": joined("re_", some(ALNUM, 8), "_", some(ALNUM, 24)),
    "rubygems": joined("rubygems_", some(HEX, 48)),
    "sendgrid": joined("SG.", some(WORD, 22), ".", some(WORD, 43)),
    "brevo": joined("xkeysib-", some(HEX, 64), "-", some(ALNUM, 16)),
    "sentry user": joined("sntryu_", some(HEX, 64)),
    "sentry org": joined("sntrys_eyJ", some(ALNUM, 120), "=_", some(ALNUM, 43)),
    "shippo": joined("shippo_live_", some(HEX, 40)),
    "shopify": joined("shpat_", some(HEX, 32)),
    "slack app": joined("xapp-1-A", some(UPPER + DIGITS, 10), "-", some(DIGITS, 13), "-", some(HEX, 64)),
    "slack bot": joined("xoxb-", some(DIGITS, 12), "-", some(DIGITS, 13), "-", some(ALNUM, 24)),
    "sonarqube": joined("squ_", some(HEX, 40)),
    "square": joined("sq0csp-", some(WORD, 43)),
    "square access": joined("EAAA", some(WORD, 60)),
    "stripe": joined("sk_live_", some(ALNUM, 99)),
    "stripe restricted": joined("rk_live_", some(ALNUM, 24)),
    "stripe webhook": joined("whsec_", some(ALNUM, 32)),
    "supabase": joined("sbp_", some(HEX, 40)),
    "supabase secret": joined("sb_secret_", some(WORD, 22), "_", some(WORD, 8)),
    "tailscale": joined("tskey-auth-", some(ALNUM, 17), "CNTRL-", some(ALNUM, 32)),
    "telegram": joined(some("123456789", 10), ":AA", some(WORD, 33)),
    "terraform cloud": joined(some(ALNUM, 14), ".atlasv1.", some(WORD, 67)),
    "twilio": joined("SK", some(HEX, 32)),
    "typeform": joined("tfp_", some(WORD, 44), "_", some(ALNUM, 14)),
    "vault": joined("hvs.", some(WORD, 95)),
    "vault batch": joined("hvb.", some(WORD, 150)),
    "vercel": joined("vcp_", some(ALNUM, 56)),
    "xai": joined("xai-", some(ALNUM, 80)),
    "yandex": joined("AQVN", some(WORD, 36)),
    "jwt": web_token,
    "pem private key": block("RSA PRIVATE KEY"),
    "openssh private key": block("OPENSSH PRIVATE KEY"),
    "pgp private key": block("PGP PRIVATE KEY BLOCK"),
    "putty private key": putty,
    "encoded private key": encoded(block("PRIVATE KEY", 4)),
    "slack webhook": joined(
        "https://hooks.slack.com/services/T", some(UPPER + DIGITS, 10), "/B",
        some(UPPER + DIGITS, 10), "/", some(ALNUM, 24),
    ),
    "discord webhook": joined(
        "https://discord.com/api/webhooks/", some(DIGITS, 19), "/", some(WORD, 68)
    ),
    "teams webhook": joined(
        "https://contoso.webhook.office.com/webhookb2/", uuid, "@", uuid, "/IncomingWebhook/",
        some(HEX, 32), "/", uuid,
    ),
    "bcrypt hash": joined("$2b$12$", some(ALNUM + "./", 53)),
}  # fmt: skip

# Recognisable only by where they stand: `redaction_places.py` has their places.
IN_PLACE: dict[str, Draw] = {
    "aws secret": some(BASE64, 40),
    "azure storage key": joined(some(BASE64, 86), "=="),
    "azure sas": joined(some(ALNUM, 42), "%3D"),
    "service bus key": joined(some(BASE64, 43), "="),
    "generic key": some(ALNUM, 32),
    "hex key": some(HEX, 32),
    "long hex key": some(HEX, 64),
    "uuid key": uuid,
    "password": password,
    "strong password": some(ALNUM + "!#%*_-", 16),
    "basic auth": encoded(joined("ana:", password)),
    "session cookie": some(ALNUM, 40),
    "pin": some(DIGITS, 6),
}
