"""Where secrets stand in practice: commands, addresses, headers, files, code and prose.

`{}` is the secret. The places were written before the patterns were, and are no copy of them.
"""

from collections.abc import Mapping, Sequence

# For secrets that can be recognised by themselves.
ANYWHERE: Mapping[str, Sequence[str]] = {
    "command": (
        "export SERVICE={}",
        "curl -s https://api.example.com/v1/me -d 'value={}'",
        "deploy --with {} --region eu-1",
        "echo {} > /tmp/x && cat /tmp/x",
    ),
    "url": (
        "GET https://api.example.com/v1/items?k={}&page=2 failed: 403",
        "cloning https://{}@git.example.com/team/app.git",
    ),
    "header": ("Authorization: Bearer {}", "X-Custom: {}\nAccept: */*"),
    "file": (
        "NAME=demo\nSERVICE_VALUE={}\nDEBUG=1\n",
        "service:\n  name: demo\n  value: {}\n  retries: 3\n",
        '{{"name": "demo", "value": "{}", "on": true}}',
        "[service]\nvalue = {}\n",
        "values = ['{}', 'b']",
    ),
    "code": (
        'client = Client("{}")',
        "const c = new Client({{ v: '{}' }});",
        "log: request with {} was refused (401)",
    ),
    "prose": (
        "I put {} into the settings, please use it.",
        "Use this one: {}.",
        "({})",
        "it is `{}`, don't lose it",
    ),
}

# Kinds by where they stand.
PLACED: Mapping[str, Mapping[str, Sequence[str]]] = {
    "aws secret": {
        "command": (
            "export AWS_SECRET_ACCESS_KEY={}",
            "AWS_ACCESS_KEY_ID=AKIAQX5ZT7ABCDEFGHIJ AWS_SECRET_ACCESS_KEY={} aws s3 ls",
            "aws configure set aws_secret_access_key {}",
        ),
        "file": (
            "[default]\naws_access_key_id = AKIAQX5ZT7ABCDEFGHIJ\naws_secret_access_key = {}\n",
            '{{"AccessKeyId": "AKIAQX5ZT7ABCDEFGHIJ", "SecretAccessKey": "{}"}}',
        ),
        "prose": (
            "The key is AKIAQX5ZT7ABCDEFGHIJ and {} belongs to it.",
            "AWS Secret Access Key [None]: {}",
        ),
        "alone": ("{}",),
    },
    "azure storage key": {
        "file": (
            "DefaultEndpointsProtocol=https;AccountName=demo;AccountKey={};EndpointSuffix=core.windows.net",
        ),
        "command": ("az storage blob list --account-name demo --account-key {}",),
    },
    "azure sas": {
        "url": (
            "https://demo.blob.core.windows.net/c/x.csv?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig={}",
        ),
    },
    "service bus key": {
        "file": (
            "Endpoint=sb://demo.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}",
        ),
    },
    "generic key": {
        "command": (
            "export MISTRAL_API_KEY={}",
            "curl -H 'X-Api-Key: {}' https://api.example.com",
            'curl -H "api-key: {}" https://api.example.com',
            "VERCEL_TOKEN={} vercel deploy --prod",
            "vercel deploy --token {}",
            "netlify deploy --auth={} --prod",
            "gh secret set NPM_TOKEN --body {}",
            "kubectl create secret generic x --from-literal=token={}",
            "setenv GITHUB_TOKEN {}",
            "npm config set //registry.npmjs.org/:_authToken {}",
            "cargo login {}",
            "vault login {}",
        ),
        "url": (
            "https://maps.example.com/js?key={}&v=3",
            "https://api.example.com/me?access_token={}",
            "https://api.example.com/callback?client_secret={}&state=1",
        ),
        "header": (
            "Authorization: Token {}",
            "Authorization: Bearer {}",
            "PRIVATE-TOKEN: {}",
            "Ocp-Apim-Subscription-Key: {}",
            "X-Auth-Token: {}",
            "X-Vault-Token: {}",
        ),
        "file": (
            "DB_HOST=localhost\nAPP_SECRET={}\n",
            "clientSecret: {}\n",
            "users:\n- name: dev\n  user:\n    token: {}\n",
            '{{"client_id": "web", "client_secret": "{}"}}',
            "//registry.npmjs.org/:_authToken={}",
            "<apiKey>{}</apiKey>",
            "SECRET_KEY = '{}'",
            "'app_key' => '{}',",
        ),
        "code": (
            'api_key = "{}"',
            "const apiKey = '{}';",
            'APIKey: "{}",',
            'os.environ["OPENAI_API_KEY"] = "{}"',
            'openai.api_key="{}"',
            '"Authorization": "Bearer {}"',
            'headers={{"X-Api-Key": "{}"}}',
            "define('AUTH_KEY', '{}');",
        ),
        "prose": (
            "my api key is {}",
            "Here is the token: {}",
            "the client secret was {}, but it expired",
            "use token {} for staging",
            "API key: `{}`",
        ),
    },
    "hex key": {
        "command": ("export DD_API_KEY={}", "export TWILIO_AUTH_TOKEN={}"),
        "header": ("DD-API-KEY: {}", "X-Shopify-Access-Token: {}"),
        "file": ("datadog:\n  apiKey: {}\n", "ALGOLIA_ADMIN_KEY={}\n"),
        "code": ('twilio_auth_token = "{}"',),
        "prose": ("The Datadog API key is {}.",),
    },
    "long hex key": {
        "command": ("RAILS_MASTER_KEY={} rails s", "export PRIVATE_KEY=0x{}"),
        "file": ("secret_key_base: {}\n", "JWT_SECRET={}\n", "SESSION_SECRET: '{}'\n"),
        "url": (
            "https://b.s3.amazonaws.com/x?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60&X-Amz-Signature={}",
        ),
        "header": (
            "Authorization: AWS4-HMAC-SHA256 Credential=AKIAQX5ZT7ABCDEFGHIJ/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature={}",
        ),
    },
    "uuid key": {
        "command": ("HEROKU_API_KEY={} heroku apps", "export SNYK_TOKEN={}"),
        "file": ("RAILWAY_TOKEN={}\n", '{{"apiKey": "{}"}}'),
        "header": ("X-Api-Key: {}",),
    },
    "password": {
        "command": (
            "mysql -u root -p{} shop",
            "mysqldump --user=root --password={} shop > x.sql",
            "sshpass -p {} ssh ana@host",
            "sshpass -p '{}' ssh ana@host",
            "redis-cli -h cache -a {} ping",
            "PGPASSWORD={} psql -h db -U app",
            "curl -u ana:{} https://example.com",
            "curl --user 'ana:{}' https://example.com",
            "wget --password={} ftp://example.com/x",
            "docker login -u ana -p {} registry.example.com",
            "mongosh --host db -u ana -p {}",
            "ldapsearch -D cn=admin -w {} -b dc=example",
            "openssl pkcs12 -in x.p12 -passin pass:{}",
            "echo {} | sudo -S apt update",
            "echo 'ana:{}' | chpasswd",
            "zip -P {} x.zip a.txt",
            "sqlcmd -S db -U sa -P {} -Q 'select 1'",
            "htpasswd -b .htpasswd ana {}",
            "keytool -list -storepass {}",
            "smbclient //host/share -U 'ana%{}'",
            "http -a ana:{} GET example.com",
        ),
        "url": (
            "postgres://app:{}@db:5432/shop",
            "postgresql+psycopg://app:{}@db/shop?sslmode=require",
            "mongodb+srv://app:{}@cluster0.abcde.mongodb.net/shop",
            "redis://:{}@cache:6379/0",
            "amqp://guest:{}@mq:5672/%2f",
            "mysql://root:{}@127.0.0.1/shop",
            "ftp://ana:{}@example.com/x",
            "https://ana:{}@git.example.com/x.git",
            "smtp://ana:{}@mail.example.com:587",
        ),
        "file": (
            "DB_USER=app\nDB_PASSWORD={}\n",
            'POSTGRES_PASSWORD="{}"\n',
            "spring.datasource.password={}\n",
            "database:\n  user: app\n  password: {}\n",
            '{{"user": "app", "password": "{}"}}',
            "[client]\nuser = root\npassword = {}\n",
            "machine api.example.com login ana password {}",
            "machine api.example.com\n  login ana\n  password {}\n",
            "db.example.com:5432:shop:app:{}",
            "<server><id>x</id><password>{}</password></server>",
            "Server=db;Database=shop;User Id=sa;Password={};Encrypt=true",
            "stringData:\n  password: {}\n",
            'resource "x" "y" {{\n  password = "{}"\n}}',
        ),
        "code": (
            "conn = connect(host='db', user='app', password='{}')",
            'password := "{}"',
            "$db_pass = '{}';",
            "ALTER USER ana WITH PASSWORD '{}';",
            "CREATE USER 'ana'@'%' IDENTIFIED BY '{}';",
            "define('DB_PASSWORD', '{}');",
            "db.createUser({{user: 'ana', pwd: '{}', roles: []}})",
            'ConvertTo-SecureString "{}" -AsPlainText -Force',
        ),
        "prose": (
            "the password is {}",
            "The password for the staging box is {}.",
            "My password was '{}' until yesterday.",
            "login ana, password {}",
            "pass: {}",
            "Password: {}",
            "credentials: ana / {}",
            "log in with ana:{}@10.0.0.5",
            "set the admin password to {} please",
            'the wifi password is "{}"',
            "das Passwort ist {}",
            "le mot de passe est {}",
            "la contraseña es {}",
        ),
    },
    "strong password": {
        "command": ("export ADMIN_PASSWORD='{}'", "mysql -uroot -p'{}' -e 'show tables'"),
        "file": ("password: '{}'\n", 'smtp_pass = "{}"\n'),
        "prose": ("pwd = {}", "The new passphrase is {}"),
    },
    "basic auth": {
        "header": ("Authorization: Basic {}", "Proxy-Authorization: Basic {}"),
        "file": (
            '{{"auths": {{"registry.example.com": {{"auth": "{}"}}}}}}',
            "//npm.example.com/:_auth={}",
        ),
        "command": ("curl -H 'Authorization: Basic {}' https://example.com",),
    },
    "session cookie": {
        "header": (
            "Cookie: theme=dark; session={}",
            "Set-Cookie: sessionid={}; Path=/; HttpOnly",
            "Cookie: connect.sid=s%3A{}",
        ),
        "command": (
            "curl -b 'session={}' https://example.com",
            "curl --cookie 'PHPSESSID={}' https://example.com",
            "curl -H 'cookie: _ga=GA1.2.3; auth_session={}' https://example.com",
        ),
    },
    "pin": {
        "prose": ("the password is {}", "my PIN is {}"),
        "file": ("password: {}\n", "DB_PASSWORD={}\n"),
    },
}
