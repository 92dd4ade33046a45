"""The words that the benchmark's lessons are made of: those of software work, and how they combine.

The rest of the vocabulary comes from the embedder's own tokenizer and from syllables; see
`corpus.py`, which makes lessons and queries of all three.
"""

WORK = """
account adapter address admin agent alarm alert alias allocation amount analyzer annotation api
archive argument array artifact assertion asset attachment attribute audit author backend backlog
backup badge balance bandwidth banner baseline batch benchmark billing binary binding blob block
board body boot boundary branch broker browser bucket budget buffer bug build bundle button byte
cache calendar callback canary capacity card carrier cart cast catalog category certificate chain
channel charge chart check checkout checksum child chunk circuit claim class cleanup client clock
clone cluster codec collection collector column commit compiler component config connection
connector console constant constraint consumer container context contract controller conversion
cookie copy core counter coverage crash crawler credential cron currency cursor customer daemon
dashboard data database dataset date deadline deadlock debugger decimal declaration decorator
default definition delay delivery dependency deployment descriptor destination detector device
diagram dialog diff digest directory discount disk dispatcher document domain download draft driver
drop dump duplicate duration edge editor element email embedding encoder encoding encryption
endpoint engine entity entry enum environment escape event exception exchange executor expiry
export expression extension extractor factory failover feature feed fetch field filter fingerprint
firewall firmware fixture flag flow folder footer fork form format formatter fragment frame
framework function gateway generator getter graph grid group guard guest handler handshake hash
header heap heartbeat helper hook host hostname icon identity image import inbox index ingest
initializer injection input insert inspector installer instance integer integration interface
interval invoice iterator job journal kernel key keyboard label lambda latency layer layout leader
leak ledger library license limit linker lint listener listing literal loader locale lock log login
logout loop machine macro mail manifest mapper mapping marker master matcher matrix member memory
merge message metadata method metric middleware migration mirror mock mode model module monitor
mount mutation mutex namespace network node notebook notice notification null number object offset
operand operator option order origin output overflow owner package packet page pagination parameter
parent parser partition partner password patch path payload payment peer permission persistence
phone pipeline pixel placeholder plan platform plugin pointer policy poll pool port portal position
prefix preview price printer priority privilege probe process processor producer product profile
profiler project promise promotion prompt property protocol provider proxy publisher pull push
quantity query queue quota race range rate ratio reader rebase receipt receiver record recovery
redirect reference refresh refund region register registry regression relation relay release
reminder remote renderer replica report repository request requirement reset resolver resource
response restore result retention retry return reverse review revision role rollback rollout root
rotation round route router routine row rule runner runtime salary sample sandbox scanner schedule
scheduler schema scope screen script scroll search secret section seed segment selector semaphore
sender sensor sequence serializer server service session setting shard share shell shipment
shutdown sidebar signal signature size snapshot socket sort source spec sprint stack staging stamp
state statement station statistics status step stock storage store stream string subnet
subscription suffix suite summary supplier support switch symbol sync syntax table tag target task
tax team telemetry template tenant terminal test thread threshold throttle ticket tier timeline
timeout timer timezone token tool topic total trace tracker traffic transaction transfer trigger
tunnel type unit update upgrade upload upstream usage user validation validator value variable
vault vector vendor verification version view viewer visitor volume voucher wallet warehouse
warning watcher webhook widget window wizard worker workflow workspace wrapper writer zone
"""

# Each group says nearly the same: a query may use any of them for any other.
SAME = """
error failure fault problem
crash abort breakdown
start launch boot begin
stop halt terminate end
delete remove erase drop
create make generate build
change modify alter edit
fix repair correct resolve
check verify validate confirm
send submit post transmit
receive accept obtain take
store save keep persist
load read fetch retrieve
search lookup find locate
show display print render
hide conceal mask
copy clone duplicate
move shift relocate transfer
join merge combine unite
split divide separate partition
increase raise grow extend
decrease lower reduce shrink
fast quick rapid
slow sluggish delayed
big large huge
small tiny little
old previous former
new recent fresh
wrong incorrect invalid bad
right correct valid proper
missing absent lost
allow permit enable
forbid deny refuse block
ask request demand
answer reply response
wait pause sleep
retry repeat rerun
timeout deadline expiry
permission access privilege
password credential secret
customer client buyer
employee worker staff
invoice bill receipt
price cost charge
folder directory path
picture image photo
message note text
list array sequence
table grid sheet
number count amount
machine host server
network connection link
release version build
staging preview sandbox
production live
limit cap maximum
choose select pick
sort order rank
empty blank void
full complete whole
connect attach link
disconnect detach unlink
install setup deploy
uninstall remove
upgrade update bump
schedule plan calendar
task job chore
team group crew
meeting call appointment
log record journal
warning notice alert
example sample case
test trial check
speed rate pace
memory storage
cache buffer
page screen view
button control
key token
name label title
owner holder
region zone area
country nation
language locale
window dialog
"""

# {w} a word of the topic or of the company, {x} a name, {i} an identifier, {f} a file,
# {e} an error, {t} a tool, {p} a person, {k} a ticket, {n} a number,
# {u} a number with its unit, {h} a host.
SITUATIONS = """
{e}
{t} says {e}
{i} fails with {e}
{e} in {f}
{w} of {x} is {w}
deploying {x} to {w}
changing the {w} of {x}
{w} {w} for {x}
writing a {w} for the {w} of {i}
reviewing {f}
{t} {w} {w}
when the {w} of {i} is {w}
asking {p} about the {w}
"""

CLAUSES = """
the {w} of {x} needs a {w} {w} before the {w} can be {w}
set {i} to {n} in {f}
use {t} with the {w} option, not the {w} {w}
{x} keeps its {w} in {f}, so change it there and not in the {w}
after the {w} run {t} again, otherwise the {w} stays {w}
the {w} {w} takes about {u} on {h}
{p} from {w} owns the {w}; ask before you change its {w}
never {w} the {w} of {x} while a {w} is running
always check {i} first, because the {w} may be {w}
since {k} the {w} is part of the {w} {w}
it fails when {w} and {w} use the same {w}
the {w} must be {w} and the {w} must not
{x} answers with {e} when its {w} is {w}
raise {i} from {n} to {n} for a {w} {w}
see {k} for the {w} of this {w}
write the {w} to {f} and let {x} pick it up
our {w} for {w} is {w}, see the {w} of {x}
to get the {w} of a {w}, ask {x} for its {w}
{h} has no {w}; go through {h} instead
do not {w} {f} by hand, {t} makes it from the {w}
customers of {x} see the {w} {w} as a {w}
in {w} {w} prefer {w} over {w}
the default of {i} is {n}, which is too {w} for {x}
first {w} the {w}, then {w} the {w}, then tell {p}
this happens on {h} only, where the {w} is {w}
roll back to {n} if the {w} shows {w}
{w} and {w} are {w} by {t} every {u}
the {w} is {w}
with {w} {w}
"""

QUESTIONS = """
how do I {q} when {q}
why does {q} not work with {q}
what should I do if {q} and {q}
we need to change {q} so that {q}
{q} {q}
where do we keep {q} and {q}
I am about to work on {q}, anything to know about {q}
please help with {q}: {q}
is there a rule for {q} in {q}
can you look at {q}, it seems that {q}
"""

ERRORS = """
ConnectionRefusedError: [Errno 111] connection to {h}:{n} refused
TimeoutError: {i} did not answer within {u}
KeyError: '{i}'
ModuleNotFoundError: No module named '{i}'
FileNotFoundError: [Errno 2] No such file or directory: '/srv/{x}/{f}'
PermissionError: [Errno 13] Permission denied: '/var/lib/{x}/{f}'
HTTP 403 from {h}: {w} not allowed for {i}
HTTP 429 from {x}: too many requests, retry after {u}
HTTP 502 bad gateway from {h}
error: {w} '{i}' has no {w} '{i}'
fatal: {w} {n} is not a {w} of {x}
TypeError: {i}() takes {n} arguments but {n} were given
ValueError: invalid {w} for {i}: {n}
psycopg.errors.UndefinedColumn: column "{i}" does not exist
sqlite3.OperationalError: database {f} is locked
OutOfMemoryError: {x} needs {u}, {u} is free
AssertionError: expected {w} {n}, got {n}
certificate of {h} has expired
{t}: command not found
exit status {n}: {w} of {f} failed
cannot {w} {w}: {w} is {w}
"""

TOOLS = """
git docker kubectl terraform helm make cmake npm pnpm yarn pip uv poetry cargo go maven gradle
pytest ruff mypy eslint prettier tsc psql mysql redis-cli kafka-topics aws gcloud az ansible
vault consul nginx curl jq sed rsync ssh scp systemctl journalctl crontab grafana prometheus
jira confluence slack zoom excel word outlook salesforce sap stripe shopify airflow dbt spark
""".split()

UNITS = "ms s seconds minutes hours days MB GB kB percent rows items".split()
ENDINGS = "py ts tsx go rs java sql yaml toml json md sh tf proto ini cfg csv log".split()
SYLLABLES = """
ba bel bo bra cal cen cor da del dra dun el en fa fen for ga gan gor hal hel in ka kel
kor la lan lor ma mar mel mo na nel nor o or pa per pol qua ra ren ro sa sel sol ta tan ter tor u va
vel vin vor wa wen ya yor za zen
""".split()
