"""The kinds of secrets that are recognised: by their own form, or by what stands around them.

The facts (prefixes, lengths, alphabets) are those that the vendors document and that gitleaks (MIT)
and detect-secrets (Apache-2.0) keep up to date. A kind is one row of one of the tables.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

ALNUM, WORD, HEX = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]"
UUID = f"{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}"

# Secrets with a form of their own. Lengths are lower bounds, because vendors make them longer.
TOKENS = {
    "1Password": r"ops_eyJ[A-Za-z0-9+/]{100,4000}={0,3}|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,6}){4,5}",
    "Adafruit": rf"aio_{ALNUM}{{28}}",
    "Adobe": r"p8e-[A-Za-z0-9]{32}",
    "age": r"AGE-SECRET-KEY-1[A-Z0-9]{30,4000}",
    "Airtable": rf"pat{ALNUM}{{14}}\.{HEX}{{64}}",
    "Alibaba": rf"LTAI{ALNUM}{{12,4000}}",
    "Artifactory": rf"AKCp{ALNUM}{{60,4000}}|cmVmd{ALNUM}{{55,4000}}",
    "Atlassian": r"AT(?:ATT|CTT|BB)[A-Za-z0-9_=-]{20,4000}",
    "AWS key": r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[A-Za-z0-9+/=]{90,4000}",
    "Amazon MWS": rf"amzn\.mws\.{UUID}",
    "Azure app": r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{30,40}",
    "Brevo": r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}|xsmtpsib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
    "Buildkite": r"bk(?:ua|aa|at)_[0-9a-f]{40}",
    "Cerebras": r"csk-[a-z0-9]{40,4000}",
    "CircleCI": r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,4000}_[0-9a-f]{40}",
    "ClickHouse": r"4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])",
    "Clojars": r"(?i:CLOJARS_[a-z0-9]{60})",
    "Cloudflare origin": r"v1\.0-[0-9a-f]{24}-[0-9a-f]{140,4000}",
    "Contentful": rf"CFPAT-{WORD}{{40,4000}}",
    "Databricks": r"dapi[0-9a-f]{32}(?:-\d)?",
    "DigitalOcean": r"do[opr]_v1_[0-9a-f]{60,4000}",
    "Discord bot": rf"[MNO]{WORD}{{23,27}}\.{WORD}{{6}}\.{WORD}{{27,4000}}",
    "Docker Hub": rf"dckr_(?:pat|oat)_{WORD}{{24,4000}}",
    "Doppler": rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{ALNUM}{{40,4000}}",
    "Duffel": rf"duffel_(?:live|test)_{WORD}{{40,4000}}",
    "Dynatrace": r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
    "EasyPost": rf"EZ[AT]K{ALNUM}{{54}}",
    "Facebook": rf"EAA[MC]{ALNUM}{{80,4000}}",
    "Figma": rf"fig[dou]r?_{WORD}{{36,4000}}",
    "Flutterwave": r"FLW(?:SECK|PUBK)(?:_TEST)?-[0-9a-zA-Z]{12,4000}-X",
    "Fly.io": rf"fo1_{WORD}{{40,4000}}|fm[12][ar]?_[A-Za-z0-9+/]{{80,4000}}={{0,3}}",
    "Frame.io": rf"fio-u-{WORD}{{60,4000}}",
    "GitHub": rf"gh[pousr]_{ALNUM}{{20,4000}}|github_pat_\w{{20,4000}}",
    "GitLab": rf"gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|oas|soat|ffct)-{WORD}{{16,4000}}|GR1348941{WORD}{{20}}",
    "Google key": rf"AIza{WORD}{{30,4000}}",
    "Google client secret": rf"GOCSPX-{WORD}{{24,4000}}",
    "Google OAuth": rf"ya29\.{WORD}{{20,4000}}|1//0{WORD}{{30,4000}}",
    "Grafana": rf"glc_[A-Za-z0-9+/]{{32,4000}}={{0,3}}|glsa_{ALNUM}{{32}}_[0-9A-Fa-f]{{8}}",
    "Groq": rf"gsk_{ALNUM}{{40,4000}}",
    "Harness": rf"(?:pat|sat)\.{WORD}{{22}}\.[0-9a-f]{{24}}\.{ALNUM}{{20}}",
    "Heroku": rf"HRKU-{WORD}{{36,4000}}",
    "HubSpot": rf"pat-(?:na|eu|ap)\d-{UUID}",
    "Hugging Face": rf"(?:hf|api_org)_{ALNUM}{{20,4000}}",
    "Infracost": rf"ico-{ALNUM}{{32}}",
    "LangSmith": r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
    "LaunchDarkly": rf"(?:sdk|api|mob)-{UUID}",
    "Linear": rf"lin_(?:api|oauth)_{ALNUM}{{32,4000}}",
    "Lob": r"(?:live|test)_(?:pub_)?[0-9a-f]{31,35}(?![A-Za-z0-9])",
    "Mailchimp": r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])",
    "Mailgun": r"(?:pub)?key-[0-9a-f]{32}(?![A-Za-z0-9])",
    "Mapbox": rf"[sp]k\.eyJ{WORD}{{40,4000}}\.{WORD}{{20,4000}}",
    "Neon": rf"napi_{ALNUM}{{40,4000}}",
    "Netlify": rf"nf[pcoub]_{WORD}{{36,4000}}",
    "New Relic": r"NR(?:AK|SP|AA|RA)-[A-Z0-9]{20,4000}|NRJS-[0-9a-f]{19}|NRI[IQ]-[A-Za-z0-9_-]{32}",
    "Notion": rf"ntn_{ALNUM}{{40,4000}}|secret_{ALNUM}{{43}}(?![A-Za-z0-9])",
    "npm": rf"npm_{ALNUM}{{30,4000}}",
    "NuGet": r"oy2[a-z0-9]{43}(?![A-Za-z0-9])",
    "Octopus": r"API-[A-Z0-9]{26}(?![A-Za-z0-9])",
    "OpenShift": rf"sha256~{WORD}{{43}}",
    "PayPal": r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}",
    "Perplexity": rf"pplx-{ALNUM}{{40,4000}}",
    "Plaid": rf"(?:access|link|public)-(?:sandbox|development|production)-{UUID}",
    "PlanetScale": r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{30,4000}",
    "PostHog": rf"phx_{ALNUM}{{40,4000}}",
    "Postman": r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
    "Prefect": rf"pn[ub]_{ALNUM}{{36}}",
    "Pulumi": r"pul-[0-9a-f]{40}",
    "PyPI": rf"pypi-{WORD}{{50,4000}}",
    "Razorpay": rf"rzp_(?:live|test)_{ALNUM}{{14}}",
    "ReadMe": r"rdme_[a-z0-9]{70}",
    "Render": rf"rnd_{ALNUM}{{28,4000}}",
    "Replicate": rf"r8_{ALNUM}{{30,4000}}",
    "Resend": rf"re_{ALNUM}{{8}}_{ALNUM}{{20,4000}}",
    "RubyGems": r"rubygems_[0-9a-f]{48}",
    "Scalingo": rf"tk-us-{WORD}{{48}}",
    "SendGrid": rf"SG\.{WORD}{{16,32}}\.{WORD}{{32,4000}}",
    "Sentry": r"sntryu_[0-9a-f]{60,4000}|sntrys_[A-Za-z0-9+/=_-]{60,4000}",
    "Shippo": r"shippo_(?:live|test)_[0-9a-f]{40}",
    "Shopify": r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",
    "Slack": rf"xox[abceoprs](?:-\d|\.xox|-){WORD}{{9,4000}}|xapp-\d-{WORD}{{20,4000}}|xoxe\.xox[bp]-{WORD}{{20,4000}}",
    "SonarQube": r"sq[apu]_[0-9a-f]{40}",
    "Square": rf"sq0[a-z]{{3}}-{WORD}{{22,4000}}|EAAA{WORD}{{56,64}}(?![A-Za-z0-9_-])",
    "Stripe": rf"(?:sk|rk)_(?:live|test|prod)_{ALNUM}{{10,4000}}|whsec_[A-Za-z0-9+/]{{24,4000}}={{0,2}}",
    "Supabase": rf"sbp_(?:v0_)?[0-9a-f]{{40}}|sb_secret_{WORD}{{20,4000}}",
    "Tailscale": r"tskey-[a-z]+-[A-Za-z0-9-]{16,4000}",
    "Telegram": rf"\d{{8,10}}:A{WORD}{{34}}",
    "Terraform": rf"{ALNUM}{{14}}\.atlasv1\.{WORD}{{60,4000}}",
    "Together": rf"tgp_v1_{WORD}{{40,4000}}",
    "Twilio": r"SK[0-9a-fA-F]{32}(?![A-Za-z0-9])",
    "Typeform": rf"tfp_{WORD}{{40,4000}}",
    "Vault": rf"hv[sbr]\.{WORD}{{24,4000}}|s\.(?=(?:[A-Za-z]*\d){{2}}){ALNUM}{{24}}(?![A-Za-z0-9])",
    "Vercel": rf"vc[pkairo]_{ALNUM}{{40,4000}}|vercel_blob_rw_\w{{20,4000}}",
    "xAI": rf"xai-{ALNUM}{{60,4000}}",
    "Yandex": rf"AQVN{WORD}{{35,4000}}|t1\.[A-Z0-9a-z_-]+={{0,2}}\.[A-Za-z0-9_-]{{86}}={{0,2}}",
    # OpenAI, Anthropic, OpenRouter, DeepSeek and those who follow them.
    "sk-": rf"sk-(?:ant|proj|svcacct|admin|or|lf|seasoned)-{WORD}{{16,4000}}|[sp]k-{ALNUM}{{20,4000}}{WORD}{{0,4000}}",
    "JSON web token": rf"eyJ{WORD}{{8,4000}}\.{WORD}{{8,4000}}\.{WORD}{{0,4000}}|ey[JI]{WORD}{{20,4000}}(?:\.{WORD}{{0,4000}}){{4}}",
    "crypt hash": r"\$(?:2[abxy]?|[156y]|apr1|argon2(?:id|i|d)|scrypt|7|gy)\$[A-Za-z0-9./$,=+-]{20,4000}",
    "Slack webhook": r"(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,4000}",
    "Discord webhook": rf"(?:https?://)?(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{{15,4000}}/{WORD}{{40,4000}}",
    "Teams webhook": r"(?:https?://)?[\w.-]{1,80}\.(?:webhook\.office|logic\.azure)\.com(?::\d+)?/[^\s\"'<>]{60,4000}",
}
# Characters that a token of the table never continues: most texts have no run this long.
LONG_RUN = re.compile(r"""(?<![^\s"'`<>(),;|\[\]{}])[^\s"'`<>(),;|\[\]{}]{20,}""")
# Part of every token; paths seldom have it.
STRETCH = re.compile(r"[A-Za-z0-9_+-]{16}|\$|Q~")
# In JSON and in addresses an escape may stand directly before a token.
BEGINNING = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
# 40 characters of base64, as AWS makes its secret keys; slashes may stand anywhere in them.
AWS_SECRET_CHARS = 40
AWS_SECRET = re.compile(r"(?<![\w/+=.-])[A-Za-z0-9/+]{40}(?![\w/+=-]|\.\w)")

# Armoured keys; one that was cut off ends where its base64 does.
ARMOUR = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:\s|\\[nr]){0,4}(?:[A-Za-z0-9+/=]{40,}|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,100}))*"
    r"(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/]{1,39}={1,2})?)"
    r"|Private-Lines: \d+(?:[A-Za-z0-9+/=\s\\]{20,20000}?Private-(?:MAC|Hash):\s[0-9a-f]+"
    r"|[A-Za-z0-9+/=\s\\]{20,20000})"
    # In base64 once more (but no certificate and no public key), or without the armour.
    r"|LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/=\s]{40,}"
    r"|(?:MII[BCEJ][A-Za-z0-9+/]{2}IBA[AD]|MHcCAQEE|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=\s]{60,}"
)
ARMOUR_MARKS = ("PRIVATE KEY", "Private-Lines", "LS0tLS1CRUdJTi", "MII", "MHcCAQEE", "b3BlbnNzaC1")


@cache
def token_pattern() -> re.Pattern[str]:
    """Compile all tokens into one pattern; on first use, since it takes 50 ms."""
    rows = "|".join(f"(?:{row})" for row in TOKENS.values())
    return re.compile(BEGINNING + f"(?:{rows})")


@cache
def place_pattern(place: "Place") -> re.Pattern[str]:
    return re.compile(place.pattern)


@cache
def name_pattern() -> re.Pattern[str]:
    return re.compile(ASSIGNED_NAME)


@cache
def marks_pattern(places: "tuple[Place, ...]") -> re.Pattern[str]:
    """Match the marks of some places: quicker than to look for one after the other."""
    marks = sorted({mark for place in places for mark in place.marks})
    return re.compile("|".join(map(re.escape, marks)))


class Place(NamedTuple):
    """A place in which secrets stand: `pattern` has a group `value`, and perhaps `quoted`.

    `marks` rule out most texts, in lower case. `shape` says how much like a secret a value must
    look: "any" excludes only variables and placeholders, "shaped" asks for more than a word,
    "random" for what nobody writes by hand.
    """

    name: str
    marks: tuple[str, ...]
    pattern: str
    shape: str = "any"


VALUE = r"""(?:\\{0,3}(?P<mark>["'`])(?P<quoted>[^\n"'`]{1,500}?)\\{0,3}(?P=mark)|(?P<value>[^\s"'`<>]{1,500}))"""
FLAGGED = (
    r"""(?:(?P<mark>["'])(?P<quoted>[^\n]{1,500}?)(?P=mark)|(?P<value>[^\s"'`<>|;&]{1,500}))"""
)
REST = r"[^\n|;&]{0,300}?\s"  # of a command, up to a flag

# Places by the marks of which a text must have one (in lower case): most texts stop there.
PLACES: Mapping[tuple[str, ...], tuple[Place, ...]] = {
    ("://", "@"): (
        Place("user in an address", ("://",),
              r"://[^/\s:@\"'`<>]{0,100}:(?P<value>[^/\s\"'`<>]{1,200})(?=@)"),
        Place("token in an address", ("://",), r"://(?P<value>[A-Za-z0-9_~.-]{20,255})(?:(?=@)|:(?=[\w-]*@))",
              "random"),
        Place("user at a host", ("@",),
              r"(?<![\w/@.-])[A-Za-z][\w.-]{0,40}:(?P<value>[^\s:/@\"'`<>]{6,100})(?=@(?!sha)[\w-]+[.\w-]*)",
              "password"),
        Place("Zapier webhook", ("hooks.zapier.com",),
              r"hooks\.zapier\.com/hooks/catch/(?P<value>\d+/\w{5,})"),
    ),
    (" -",): (
        Place("sent cookie", (" -b", " --cookie"),
              r"\b(?:curl|http|xh)\b[^\n]{0,1000}?\s(?:-b|--cookie)[ =]?[\"']?(?P<cookies>[^\n\"']{0,4000})"),
        Place("mysql", ("mysql", "mariadb"), rf"\b(?:mysql\w*|mariadb[\w-]*)\b{REST}-p(?=\S){FLAGGED}"),
        Place("sshpass", ("sshpass",), rf"\bsshpass\s+(?:-\w+\s+)?-p\s*{FLAGGED}"),
        Place("redis", ("redis-cli", "valkey-cli"),
              rf"\b(?:redis|valkey)-cli\b{REST}(?:-a|--pass)[ =]{FLAGGED}"),
        Place("-p", (" login", "mongo", "twine upload"),
              rf"\b(?:(?:docker|podman|nerdctl|helm|az|oc|cf|skopeo|buildah)\b[^\n|;&]{{0,60}}?\blogin"
              rf"|mongo\w*|twine\s+upload)\b{REST}-p[ =]{FLAGGED}"),
        Place("-P", ("sqlcmd", "zip", "bcp"), rf"\b(?:sqlcmd|bcp|zip|unzip)\b{REST}-P\s?{FLAGGED}"),
        Place("7z", ("7z",), rf"\b7za?\b{REST}-p(?=\S){FLAGGED}"),
        Place("-w", ("ldap",), rf"\bldap\w+\b{REST}-w\s?{FLAGGED}"),
        Place("openssl", ("pass:",), rf"-pass(?:in|out)?\s+[\"']?pass:{FLAGGED}"),
        Place("sudo", ("sudo",), rf"\b(?:echo|printf)\s+(?:-\w+\s+)?{FLAGGED}\s*\|\s*sudo\s+-S"),
        Place("htpasswd", ("htpasswd",), rf"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+{FLAGGED}"),
        Place("keytool", ("storepass", "keypass"), rf"-(?:dest|src)?(?:store|key)pass\s+{FLAGGED}"),
        Place("samba", ("%",), r"(?:-U|--user)[ =][\"']?[\w./\\-]{1,60}%(?P<value>[^\s\"'`<>|;&]{1,200})"),
        Place("user:password", ("curl ", "http ", "https ", "xh ", "wget "),
              r"\b(?:curl|https?|xh|wget)\b[^\n]{0,1000}?\s(?:-u|--user|-a|--auth|-U|--proxy-user)[ =]?[\"']?"
              r"[^\s:\"'/]{1,100}:(?P<value>[^\s\"'`<>|;]{1,200})"),
        Place("flag", ("--", "-pass"),
              r"(?i:(?<!\w)--?[a-z-]{0,40}?(?:password|passwd|passphrase|token|secret|api-?key|account-key"
              rf"|access-key|auth|pwd))(?:=|\s+){FLAGGED}", "word"),
        Place("gh secret", ("secret set",), rf"\bsecret\s+set\b{REST}(?:-b|--body)[ =]{FLAGGED}"),
        Place("PowerShell", ("securestring",),
              r"(?i:ConvertTo-SecureString\s+(?:-String\s+)?)(?P<mark>[\"'])(?P<quoted>[^\n\"']{1,500})(?P=mark)"),
    ),
    ("pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "bearer", "sig", "sess", "login",
     "log in", "pin ", "identified", "connect.sid", ":543", ":*:", ":6432:", "zugang", "contrase", "senha",
     "wachtwoord", "парол"): (
        Place("Authorization", ("authorization",),
              r"(?i:authorization)\\{0,3}[\"']?\s*[=:,]\s*\\{0,3}[\"']?(?i:(?:bearer|basic|token|apikey"
              r"|negotiate|digest|key|splunk|oauth)\s+)?(?P<value>[^\s\"'`<>,;\\]{8,2000})", "shaped"),
        Place("bearer", ("bearer",), r"(?i:\bbearer)\s+(?P<value>[A-Za-z0-9._~+/=-]{12,2000})", "shaped"),
        Place("signature", ("signature=", "sig="),
              r"(?i:\b(?:X-(?:Amz|Goog)-)?(?:signature|sig))=(?P<value>[A-Za-z0-9%+/=_-]{16,1000})"),
        Place("query", ("key=", "token=", "secret=", "pass", "auth=", "sig=", "credential="),
              r"(?i:[?&;][\w-]{0,40}?(?:key|token|secret|passw(?:or)?d|auth|credential))="
              r"(?P<value>[^\s\"'`<>&#;]{8,2000})", "shaped"),
        Place("cookie", ("cookie",),
              r"(?i:\bcookie)\\{0,3}[\"']?\s*[:=]\s*\\{0,3}[\"']?(?P<cookies>[^\n\"']{0,4000})"),
        Place("session cookie", ("sessid", "sessionid=", "connect.sid", "_session=", "session-token="),
              r"(?i:\b(?:PHPSESSID|JSESSIONID|sessionid|connect\.sid|ASP\.NET_SessionId|laravel_session"
              r"|_\w+_session|[\w.-]*session-token))=(?P<value>[^\s\"'`<>&;]{16,4000})"),
        Place("chpasswd", ("chpasswd",),
              r"\b(?:echo|printf)\s+(?:-\w+\s+)?[\"']?[\w.-]{1,60}:(?P<value>[^\s\"'`<>|]{1,200})(?=[^\n|]{0,20}\|"
              r"\s*(?:sudo\s+)?chpasswd)"),
        Place("set", ("setenv", "config set", "configure set", "secret set", "env "),
              r"(?i:\b(?:setenv|ENV|(?:config|configure)\s+set)\s+[^\s=]{0,200}?(?:key|token|secret|password|passwd"
              rf"|_auth))\s+{FLAGGED}", "shaped"),
        Place("SQL", ("identified", "password '", "password \"", "password e'"),
              r"(?i:\b(?:identified\s+(?:with\s+\w+\s+)?by|(?:with|encrypted|role\s+\S+|user\s+\S+)\s+password"
              r"|password))\s+E?(?P<mark>[\"'])(?P<quoted>[^\n\"']{4,200})(?P=mark)"),
        Place("define", ("define(",),
              r"\bdefine\(\s*[\"']\w*(?:KEY|PASSWORD|SECRET|TOKEN|SALT|PASS)[\"']\s*,\s*"
              r"(?P<mark>[\"'])(?P<quoted>[^\n\"']{1,500})(?P=mark)"),
        Place("element", ("</",),
              r"(?i:<[\w:.-]{0,40}?(?:password|passwd|passphrase|secret|token|api-?key))(?:\s[^<>]{0,200})?>"
              r"(?P<value>[^<>\s]{1,1000})(?=</)", "word"),
        Place("log in", ("cargo login", "vault login", "wandb login", "cli login", "netlify login", "doppler login", "snyk auth"),
              rf"\b(?:cargo|vault|wandb|huggingface-cli|netlify|doppler|snyk\s+auth)\s+(?:login|auth)\s+{FLAGGED}",
              "random"),
        Place("netrc", ("machine",), rf"\bmachine\s+\S+\s+login\s+\S+\s+password\s+{FLAGGED}"),
        Place("login", ("pass",),
              rf"(?i:\b(?:login|user(?:name)?)\b[:=]?\s+\S{{1,60}}\s+(?:and\s+)?pass(?:word|wd)?)[:=]?\s+{VALUE}",
              "shaped"),
        Place("pgpass", (":5432:", ":*:", ":6432:", ":543"),
              r"(?<![^\s\"'`])[^\s:#\"'`]{1,100}:(?:\d{4,5}|\*):[^:\s]{1,63}:[^:\s]{1,63}:(?P<value>[^\s:\"'`]{1,200})(?![^\s\"'`])"),
        Place("docker auth", ('auth"', "_auth"),
              r"(?:\\{0,3}\"(?:auth|identitytoken)\\{0,3}\"\s*:\s*\\{0,3}\"|_auth(?:Token)?\s*=\s*[\"']?)"
              r"(?P<value>[A-Za-z0-9+/=_.-]{8,2000})", "random"),
        Place("key data", ("key-data", "key_data"), r"client-key-data:\s*(?P<value>[A-Za-z0-9+/=]{40,})"),
        Place("credentials", ("credential", "logins", "login:", "login is", "zugangsdaten"),
              r"(?i:\b(?:credentials?|logins?|zugangsdaten)\b(?:\s+(?:are|is))?)\s*[:=]?\s*[\w.@+-]{1,60}\s*(?:/|,|\band\b|:)"
              rf"\s*{VALUE}", "shaped"),
        Place("is", ("pass", "pin", "key", "token", "secret", "contrase", "senha", "wachtwoord", "парол"),
              r"(?i:\b(?:pass(?:word|phrase|code|wort)|passwd|pwd|pin(?:[ -]?code)?|(?:api|access|secret|account"
              r"|license|auth)[ -]?key|(?:client|shared)[ -]?secret|secret|token|mot\s+de\s+passe|contraseña"
              r"|senha|wachtwoord|пароль)(?:\s+(?:for|of|to|on|at|in|from|für|von|pour|de|para)(?:\s+[\w.'’@/-]{1,40}){1,6}?)?"
              rf"\s+(?:is|was|to|as|ist|lautet|war|est|es|era|is\s+now|now\s+is|equals|é|è)(?:\s*:)?)\s+{VALUE}",
              "told"),
        Place("after the word", ("pass", "token", "key"),
              rf"(?i:\b(?:password|passphrase|passwd|(?:api|access|secret)[ -]?key|token))\s+{VALUE}", "random"),
    ),
}  # fmt: skip

# Names of settings, parameters, variables and fields. A password may be a plain word; of the others
# only what looks like a secret is one.
PASSWORDS = r"""(?i:pass(?:word|wd|phrase|code|wort))|(?<![A-Za-z])(?i:pass|pwd|pw)|(?<=[a-z])(?:Pass|Pwd)"""
OTHERS = (
    r"secret[-_]key[-_]base|(?:api|access|secret|private|auth|account|subscription|master|signing"
    r"|signature|encryption|shared[-_]?access|shared|app|application|admin|write|license|service|session"
    r"|storage|consumer|client|deploy|server|integration|function|rails|jwt|hmac|webhook)[-_ ]?key"
    r"|(?-i:(?<=[A-Z]_)KEY)|secret|token|credentials?|salt"
)
ASSIGNED_NAME = (
    rf"(?P<name>(?:(?P<password>{PASSWORDS})|(?P<other>(?i:{OTHERS})))(?i:[-_]?(?:value|string|text|plain"
    r"|\d{1,2}))?)(?P<sign>\\{0,3}[\"'`]?\]?[ \t]{0,20}(?:=>|[:=!]?=|:|\[None\]:)[ \t]{0,20})"
)
ASSIGNED_VALUE = re.compile(
    r"(?:[rbf]?\\{0,3}(?P<mark>[\"'`])(?P<quoted>[^\n\"'`]{1,1000}?)\\{0,3}(?P=mark)"
    r"|(?P<value>[^\s\"'`<>]{1,1000}))"
)
LONGEST_BEFORE, LONGEST_SIGN = 24, 48  # characters of a name before its keyword, and of a sign
# Rules out most texts, in lower case: a name with a sign behind it.
MAY_ASSIGN = re.compile(
    r"(?:pass|pwd|pw|secret|token|key|cred|salt)[\w -]{0,20}[\\\"'`\]]{0,5}[ \t]{0,20}(?:[:=!]|\[none)"
)
SECRET_NAME = re.compile(
    r"(?i)(?:^|[_-])(?:pass(?:word|wd|phrase|code)?|pwd|secret(?:_?key)?|token|api_?key|access_?key"
    r"|private_?key|account_?key|subscription_?key|authorization|credentials?|cookie)$"
)
