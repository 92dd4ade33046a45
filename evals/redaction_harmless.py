"""Harmless texts that resemble secrets; they must stay as they are. Written before the patterns."""

import base64
import random
from collections.abc import Iterator

from redaction_formats import ALNUM, BASE64, DIGITS, HEX, LOWER, UPPER, joined, some, uuid

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

SENTENCES = """
The tests still pass: wonderful news
All 214 tests pass: ship it
pass: 12, fail: 3, skip: 1
token bucket with max_tokens=100
max_tokens: 4096
tokens: 1234
prompt_tokens=812 completion_tokens=99 total_tokens=911
The token bucket refills at 10 tokens a second.
password is required
The password is too short.
The password was changed yesterday.
Your password is incorrect, try again.
the secret to good code is naming
The secret is out: we ship on Friday.
Secret: nobody reads the manual.
key: value
primary key: id
The key is under the mat.
password: str
password: string
password: Optional[str] = None
password: ""
password = None
token: str | None = None
token = get_token()
token = self.tokens[self.pos]
token = next(tokens)
api_key=os.environ["OPENAI_API_KEY"]
api_key = os.getenv("API_KEY")
const apiKey = process.env.API_KEY;
apiKey: process.env.OPENAI_API_KEY,
password=$PASSWORD
PGPASSWORD=$DB_PASSWORD psql -h db
export TOKEN=${TOKEN}
export GITHUB_TOKEN=$(gh auth token)
Authorization: Bearer $TOKEN
Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}
Authorization: Bearer <your-token>
Authorization: Bearer YOUR_API_KEY
Authorization: Bearer {token}
password=<your-password>
password: ****
password: ********
password=xxxxxxxx
api_key: YOUR_API_KEY_HERE
api_key = "your-api-key"
token: "<token>"
secret: ""
mysql -u root -p shop
mysql -p -e 'show tables'
ssh -p 2222 ana@host
mkdir -p src/components/password-reset
docker run -p 8080:80 nginx
cp -a src dst && ls -a
redis-cli -h cache ping
curl -u "$USER:$PASSWORD" https://example.com
curl -b cookies.txt https://example.com
psql postgres://localhost/shop
postgres://app@db:5432/shop
https://example.com:8080/a@b
https://example.com/users?page=2&sort=name&key=name
https://example.com/reset?token=
git clone git@github.com:team/app.git
https://github.com/team/app/tree/main/src/auth/token.py
The function validate_password() raises ValueError.
def check_password(password, hashed): return bcrypt.checkpw(password, hashed)
def login(user: str, password: str) -> Token:
login(user=user, password=password)
connect(host=host, password=settings.password)
self.password = password
password = request.form["password"]
password_hash = hash_password(password)
if token is None: raise AuthError
the token is valid for 30 minutes
The token is 5 minutes old
the API key is missing
API key is invalid
api key: see the wiki
A secret is stored in Vault, never in the repository.
Basic usage is described below.
Basic authentication is not supported
bearer of bad news
Bearer authentication is required
a basic understanding of caching
The session is over.
session: 2025-06-01T10:00:00Z
session_id=sess-42
session_id: 01HV9Z3N8YQ4W7K2M5P6R8T0XA
cookie: chocolate chip
Set-Cookie is missing from the response
The cookie banner covers the page
Cookie consent: accepted
author: Ana Lopez
auth: true
auth: none
auth: oauth2
"auth": "required"
authToken: string;
interface Props { token: string; secret?: string }
type Config = { apiKey: string }
private_key: bytes
PrivateKey: crypto.PrivateKey
public_key: ssh-ed25519
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7m8kq0v1w2x3y4z5A6B7C8D9E0F1G2H3I4J5K6L7M8 ana@laptop
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
sort_key=created_at
cache_key: user:42:profile
idempotency_key=ord-2025-0042
foreign key: user_id
keyboard: qwerty123
monkey=banana1
compass: north42
The passenger list: 12 names
passport: see the visa page
bypass: true
compass=north
passing: 12
passed: 33 in 2.1s
tokenizer: cl100k_base
tokenize=porter
tokens_per_second: 41.2
secretary: Anna Smith
SecretManagerServiceClient
secrets: inherit
secret_name: app/prod/db
secretName: tls-cert
secretKeyRef: name
valueFrom: secretKeyRef
--token-file /run/secrets/token
--password-file ~/.pw
password_file = /etc/app/pw
PASSWORD_FILE=/run/secrets/db_password
token_url: https://example.com/oauth/token
token_type: bearer
tokenType=Bearer
"token_type": "Bearer", "expires_in": 3600
grant_type=client_credentials
credential helper: store
credentials: include
credentials: "same-origin"
fetch(url, { credentials: "include" })
withCredentials: true
passwordless login
password_min_length=12
password_policy: strong
PasswordField(max_length=128)
<input type="password" name="password" placeholder="Password">
<label for="password">Password</label>
"password": "Password must be at least 8 characters"
password: Passwort vergessen?
"password": "Enter your password"
t("login.password")
password123.py
test_password_reset.py
src/auth/password.ts
token.go:42: undefined: token
error: unexpected token: '}'
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
Unexpected token: punc (;)
invalid token: expected ')', found 'x1'
parse error: token: EOF
next token: identifier
the token: it expires soon
Access token expired
Access token: expired
refresh token: missing
Bad credentials
401 Bad credentials: check the token
permission denied (publickey,password)
ana@host's password:
Password for 'https://ana@github.com':
Enter passphrase for key '/home/ana/.ssh/id_ed25519':
sk-learn and sk-image are libraries
sk-loading-spinner-container-wrapper
pk_products_category_id_fkey
sk_test is the prefix of test keys
the ghp_ prefix marks GitHub tokens
hf_hub_download(repo_id="x")
hf_transfer_enabled_by_default_in_ci
npm_config_registry=https://registry.npmjs.org
npm_package_version_from_the_manifest_file
key-value-store-for-the-cache-layer-0001
pypi-publish-workflow-on-tag-push-event
re_compile_all_patterns_before_use
pat-downs at the airport
pat.subn(repl, text)
glpat- is GitLab's prefix
eyJ is how JSON in base64 begins
AKIA is the prefix of AWS keys
SG.UI.Components.Button.Primary
SG.Core.Data.Repositories.UserRepository
v1.0-rc1-build-20240501
API-FIRST-DESIGN
API-GATEWAY-TIMEOUT-EXCEEDED
dp.pt. is a prefix
hvs. is Vault's prefix
r8_optimizations_enabled_for_release_builds
Use `--token` to pass the token.
Pass --api-key or set API_KEY.
pass the token as a header
passing a token around is bad
I forgot my password
change the password to something stronger
set the password to the value from Vault
use token authentication for staging
use a token with read scope
login with your password
the pin is broken
PIN is optional
pin: numpy==1.26.4
pinned to 1.26.4
unpin: true
ticket: ABC-1234
Token: CSRFTokenMiddleware
token=identifier value=foo line=3
Token(type=NAME, value='x1', pos=12)
Token.NAME: 'foo2'
<Token: IDENT 'x42'>
tok = Token("NUMBER", "42")
parse(tokens, 0)
md5: 9e107d9d372bb6826bd81d3542a419d6
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904
integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
image: nginx@sha256:67682bda769fae1ccf5183192b8daf37b64cae99c6c3302650f6f8bf5f0f95df
go.sum: h1:yixxcjnhBmY0nkL253HFVIm0JsFHwrHdT3Yh6szTnfY=
request-id: 7f9c24e8-3b12-4a6e-9d51-0f8a2c6b1e37
trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7
x-amzn-trace-id: Root=1-67891233-abcdef012345678912345678
arn:aws:iam::123456789012:role/deploy
subscription 8d2f0c9e-1b2a-4c3d-8e4f-5a6b7c8d9e0f
toolu_01A09q90qw90lq917835lq9
call_bZvIF91Gpqo1hHqg0RFAH2lU
msg_01XFDUDYJgAACzvnptvVoYEL
chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ01
cus_9s6XKzkNRiz8i3
pi_3MtwBwLkdIwHu7ix28a3tqPa
price_1MoBy5LkdIwHu7ixZhnattbh
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
class="flex items-center justify-between px-4 py-2 text-sm font-medium"
css-1q2w3e4r5t6y7u8i9o0p-MuiButton-root-primary
webpack:///./src/index.js?a1b2c3d4
main.4f3c2b1a9d8e7f6a5b4c.chunk.js
1.2.3-beta.4+exp.sha.5114f85
2025-11-03T09:00:00.123456Z
192.168.10.20:5432
+49 30 1234567
Lösungswort: Sommer
Das Passwort ist falsch.
Passwort vergessen
le mot de passe est incorrect
la contraseña es obligatoria
パスワードは必須です
密码错误
"""


def made_up(rng: random.Random) -> Iterator[str]:
    """Ids, hashes and names, in the places where they stand."""
    pixels = joined(some(BASE64, 200), "==")
    for _ in range(12):
        sha, short, digest = some(HEX, 40)(rng), some(HEX, 8)(rng), some(HEX, 64)(rng)
        name, number, ulid = uuid(rng), some(DIGITS, 10)(rng), some(CROCKFORD, 26)(rng)
        yield from (
            f"commit {sha}\nAuthor: Ana <ana@example.com>",
            f"[main {short}] Fix the login form",
            f"git cherry-pick {sha} && git push",
            f"git diff {sha}..{some(HEX, 40)(rng)} -- src/token.py",
            f"{digest}  app.tar.gz",
            f"sha256:{digest}",
            f'"sha": "{sha}"',
            f"request {name} took 12 ms",
            f'{{"id": "{name}", "status": "done"}}',
            f"session {ulid} ended",
            f"order {number} was shipped",
            f"https://example.com/items/{name}/edit?tab=2",
            f"https://github.com/team/app/commit/{sha}",
            f"docker pull registry.example.com/app@sha256:{digest}",
            f"data:image/png;base64,{pixels(rng)}",
            f"src/assets/logo.{short}.svg",
            f"toolu_{some(ALNUM, 24)(rng)}",
            f"call_{some(ALNUM, 24)(rng)}",
            f"job-{some(LOWER + DIGITS, 10)(rng)}-{some(LOWER + DIGITS, 5)(rng)} is running",
            f"pod/web-{some(LOWER + DIGITS, 10)(rng)}-{some(LOWER + DIGITS, 5)(rng)} created",
            f"E{some(UPPER, 4)(rng)}: {some(LOWER, 6)(rng)} failed at 0x{some(HEX, 12)(rng)}",
            f"integrity: sha512-{some(BASE64, 86)(rng)}==",
            f"resolved {base64.b64encode(f'item {number}'.encode()).decode()}",
            f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{some(BASE64, 320)(rng)} ana@laptop",
            f"-----BEGIN CERTIFICATE-----\n{some(BASE64, 64)(rng)}\n-----END CERTIFICATE-----",
        )


def look_alikes(rng: random.Random) -> list[str]:
    return [*filter(None, SENTENCES.split("\n")), *made_up(rng)]
