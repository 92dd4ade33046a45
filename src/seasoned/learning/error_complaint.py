"""What an error complains of, in whatever words, so that another vendor's wording is recognised.

There are not many things that can be wrong with a call. Operating systems number them (errno), as
do HTTP, SQL and RPC; libraries and people say them in words. Two errors that complain of different
things are different errors, however many words they share.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

CANNOT = r"(?:cannot|could not|unable to|failed to|failure to|not able to|not possible to)"
IS = r"(?:is|are|was|were|be|been|has been|have been)"
NOT = rf"(?:{IS} )?(?:not|no longer|never)"
INPUT = r"(?:argument|parameter|param|option|flag|field|property|key|keyword|value|operand)s?"
CLAIM = r"(?:credential|password|passphrase|username|user name|token|api key|login|signature)s?"
SAID = r"(?:\S+ ){0,2}"
STATUS = r"(?:http|status|code|error|response|failed|answered|returned|^)(?: \w+)? (?:{0})(?!\S)"

# Each complaint, and how it is said: a line is matched as whole words against plain text.
COMPLAINTS: dict[str, str] = {
    "absent": rf"""
        not (?:be )?(?:found|exist|present|located|there)|nonexistent|non existent|not known to
        no such (?!host|option)\w+|no module named|no (?:{SAID})(?:found|exists?)|nothing found
        {CANNOT} (?:find|locate|see|be found|be located)|{IS} missing from the (?:file|disk)
        unknown (?!error|option|argument|host|authority|flag|parameter|reason|issue|field)\w+
        no match(?:es|ing)?(?: \w+)? for|did not match any|not match anything|no rule to
        not have an? \w+ (?:type|named|called)|has no (?:attribute|member|method|property)
        enoent|{STATUS.format("404|410")}|nicht (?:gefunden|vorhanden)|existier\w+ nicht|introuvable
        n existe pas|aucun \w+|no existe|no (?:se )?encontr\w+|n[aã]o (?:existe|encontrad\w+)
        non (?:esiste|trovat\w+)|不存在|未找到|找不到|見つかりません|存在しません|не (?:найден\w*|существует)
        """,
    "present": rf"""
        already (?:exists?|taken|registered|defined|declared|present)|file exists|eexist|duplicated?
        {IS} (?:\w+ )?taken|not unique|unique constraint|must be unique|exists already
        existiert bereits|existe d[ée]j[aà]|ya existe|j[aá] existe|esiste gi[aà]|已存在|既に存在
        """,
    "forbidden": rf"""
        (?:permission|access|authori[sz]ation|operation|request)s? {SAID}(?:denied|refused|rejected)
        {NOT} (?:permitted|allowed|authori[sz]ed|granted)|forbidden|eacces|eperm|no permissions?
        not (?:have|has) {SAID}(?:permission|access|privilege|right|role|grant)s?|noperm
        (?:insufficient|missing|lacks?|without|requires?) {SAID}(?:permission|privilege|scope|role)s?
        (?:must be|requires?|not|unless you are) (?:root|admin\w*|superuser|owner)|read protected
        {STATUS.format("403")}|(?:zugriff|berechtigung) {SAID}verweigert|verweigert|non accord\w+
        acc[eè]s refus\w+|acceso denegado|permiso denegado|acesso negado|permiss[aã]o negada
        permesso negato|拒绝访问|权限不足|没有权限|拒否|доступ запрещ[её]н|отказано в доступе
        """,
    "unauthenticated": rf"""
        unauthori[sz]ed|unauthenticated|not (?:logged|signed) in|noauth|{STATUS.format("401|407|535")}
        authenticat\w+ {SAID}(?:failed|failure|required|needed|error|invalid|rejected)
        (?:invalid|incorrect|wrong|bad|unknown|missing|rejected) {SAID}{CLAIM}|without a password
        {CLAIM} {SAID}(?:invalid|incorrect|wrong|rejected|not accepted|not valid|mismatch)
        {CLAIM} and {CLAIM} not accepted|login failed|log in (?:first|again)|using password
        """,
    "expired": rf"""
        expired?|expiry|expires|{NOT} valid (?:any ?more|any longer)|no longer valid|out of date
        abgelaufen|expir[ée]\w*|caducad\w+|vencid\w+|scadut\w+|已过期|期限切れ|ист[её]к
        """,
    "timed out": rf"""
        tim(?:ed|e|ing) ?out|timeouts?|deadline (?:has )?(?:been )?exceeded|etimedout|took too long
        not (?:\w+ )?respond|time limit|execution time exceeded|{STATUS.format("408|504|524")}
        zeit[uü]berschreitung|d[ée]lai (?:d[ée]pass[ée]|expir[ée])|tiempo (?:de espera )?agotado
        tempo esgotado|超时|タイムアウト|время ожидания
        """,
    "refused": r"connection (?:was )?refused|refused (?:the|our|your|a) connection|econnrefused|"
    r"actively refused|verbindung (?:wurde )?(?:abgelehnt|verweigert)|connexion refus[ée]e|"
    r"conexi[oó]n (?:rechazada|rehusada)|连接被拒绝|接続が拒否",
    "dropped": r"""
        connection (?:was )?(?:reset|closed|aborted|lost|dropped|terminated|broken)|broken pipe|epipe
        econnreset|econnaborted|closed (?:the|by|an?) \w+|forcibly closed|socket hang up|went away
        unexpected (?:eof|end of file|disconnect)|server closed|disconnected|connection abort
        """,
    "unresolved": rf"""
        {CANNOT} (?:be )?(?:resolve|resolved|translate)(?! dep)|name resolution|enotfound|nxdomain
        name or service not known|getaddrinfo|no such host|unknown host|nodename nor servname
        """,
    "unreachable": r"""
        unreachable|no route to|ehostunreach|enetunreach|not reachable|host is down|network is down
        """,
    "limited": rf"""
        too many requests|rate (?:was |is )?(?:limit\w*|exceeded)|ratelimit\w*|throttl\w+|slow down
        request limit|too many \w+ requests|requests? (?:\w+ )?too (?:often|fast)|back off and
        {STATUS.format("429")}
        """,
    "over quota": rf"""
        (?:over|exceed\w*) {SAID}quota|quota {SAID}exceeded|quota {SAID}reached|edquot
        (?:limit|capacity) {SAID}(?:exceeded|reached)|exceeds? {SAID}limit|limit of \S+ is reached
        more {SAID}than your {SAID}(?:limit|quota)
        """,
    "disk full": r"""
        no space left|disk (?:is )?full|enospc|not enough (?:disk )?space|out of (?:disk )?space
        insufficient (?:disk |storage )?space|kein speicherplatz|espace (?:disque )?insuffisant|磁盘空间不足
        """,
    "out of memory": rf"""
        out of (?:\w+ )?memory|{CANNOT} allocate|not enough memory|enomem|oom|memory error|memoryerror
        insufficient memory|no memory left|heap limit|memory (?:limit )?(?:exhausted|exceeded)|内存不足
        """,
    "too large": rf"""
        too (?:large|long|big|many (?:tokens|arguments|columns|bytes))|larger than|longer than|e2big
        exceeds? (?:the )?(?:\w+ )?(?:maximum|max|size|length|fixed limit)|exceeds (?:the )?allowed
        maximum {SAID}(?:length|size|context)|efbig|emsgsize|over the maximum|{STATUS.format("413")}
        no more than|zu (?:gro[sß]+|lang)|trop (?:grand|long)|demasiado (?:grande|larg\w)
        """,
    "too small": r"""
        too (?:small|short|few|low|little)|smaller than|below (?:the )?minimum|less than the minimum
        (?:must|should) be at least|not enough (?!memory|space|disk)\w+
        """,
    "out of range": r"""
        out of (?:range|bounds|domain)|erange|overflow|not in (?:the )?range|outside (?:the )?\w*range
        not representable|index (?:is )?out
        """,
    "in use": rf"""
        (?:already |currently )?in use|in use by|eaddrinuse|already (?:allocated|bound|running|open)
        (?:being |is )?used by another|resource busy|device busy|file busy|ebusy|is busy|occupied
        占用|belegt|d[ée]j[aà] utilis[ée]e?|en uso
        """,
    "locked": rf"""
        {IS} locked|lock(?:ed|s)? {SAID}(?:held|by)|{CANNOT} (?:get|acquire|obtain) {SAID}lock
        (?:acquiring|locking|waiting for|obtaining|holding) {SAID}(?:lock|state|it)|lock file|locked by
        another \w+ (?:process|run|manager|instance) (?:seems|is)|gesperrt|verrouill[ée]e?|bloquead\w+
        """,
    "deadlocked": r"deadlock\w*|edeadlk",
    "read-only": r"read ?only|readonly|erofs|write protected|immutable|schreibgesch[uü]tzt",
    "unavailable": rf"""
        unavailable|maintenance|overloaded|{CANNOT} connect to the|{NOT} (?:running|started|available)
        is the \S+ (?:\w+ )?running|bad gateway|{STATUS.format("502|503|529")}|try again later
        service is down|nicht verf[uü]gbar|indisponible|no disponible|indispon[ií]vel|不可用
        """,
    "unsupported": rf"""
        {NOT} (?:\w+ )?(?:supported|implemented|enabled|accept\w*)|unsupported|enosys|eopnotsupp
        not (?:\w+ )?(?:support|accept)|deprecated|not implemented|{STATUS.format("405|406|415|501")}
        """,
    "malformed": rf"""
        syntax error|error in your \w+ syntax|parse error|malformed|unterminated|unexpected token
        {CANNOT} (?:be )?(?:parse|parsed|decode|decoded)|not be (?:parsed|decoded)|expecting value
        invalid (?:syntax|json|xml|yaml|format)|unbalanced|mismatched|unclosed|not valid json
        syntax ?error|jsondecodeerror|json decode error
        """,
    "badly encoded": r"""
        codec|unicode \w+ error|unicode\w*error|invalid (?:utf|byte|continuation|start byte)
        utf \d* ?(?:sequence|encoded|error)|illegal (?:byte|multibyte)|eilseq|not encoded in|encoding error
        """,
    "lacking": rf"""
        (?:{INPUT}|body|header|\w+ argument) {SAID}(?:is )?(?:required|missing|mandatory)|missing \S* ?{SAID}{INPUT}
        (?:required|mandatory) {SAID}{INPUT}|(?:required|mandatory) {SAID}(?:is )?missing|not null
        must (?:be )?(?:give|given|provide|provided|specify|specified|supply|supplied|have|contain)
        null value|(?:may|must|can|cannot) (?:not )?be (?:null|blank|empty)|missing operand|no value for
        """,
    "unwanted": rf"""
        (?:unexpected|unknown|unrecogni[sz]ed|extra|illegal|invalid|unsupported) (?:\w+ )?{INPUT}
        {INPUT} {SAID}(?:{IS} )?(?:unknown|unexpected|unrecogni[sz]ed|not recogni[sz]ed)
        no such option|not a recogni[sz]ed|got an unexpected|unknown (?:option|flag|argument|field)
        """,
    "of another type": r"""
        (?:incompatible|wrong|unexpected|invalid|mismatched) (?:data )?types?|type mismatch|of type \S+
        but (?:expression )?(?:is|was|got)|not (?:be )?convert\w*|cannot cast|not serializable|typeerror
        expected (?:an? )?\w+(?: but)? (?:got|found|received)|must be (?:an? )?(?:str|string|int|number)
        """,
    "nothing there": r"""
        nonetype|none type|null pointer|nil pointer|of (?:undefined|null)|undefined is not|is undefined
        null reference|null object|none object
        """,
    "undefined": r"not (?:defined|declared)|undeclared|undefined (?!is)\w+|symbol s? ?not found|"
    r"undefined symbols?",
    "a directory": r"is a directory|eisdir|isadirectory\w*",
    "no directory": r"not a directory|enotdir|notadirectory\w*",
    "not empty": r"not empty|enotempty|nicht leer|no est[aá] vac[ií]o",
    "changed meanwhile": rf"""
        (?:modified|changed|updated) (?:by|since)|etag|precondition failed|stale|out of sync|not up to date
        (?:remote|branch) {SAID}contains work|fetch first|non fast forward|edit conflict
        serialize access|concurrent update|{STATUS.format("409|412")}
        """,
    "mismatched": r"mismatch\w*|does not match|do not match|did not match(?! any)|not (?:be )?equal|differs from",
    "untrusted": rf"""
        self signed|unknown authority|issuer certificate|certificate verify|verify (?:the )?certificate
        untrusted|not trusted|dubious|unsafe|host key|identification has changed|unsigned
        """,
    "orphaned": r"foreign key",
    "divided by zero": r"(?:division|divide|divided|divisor|modulo) .{0,20}zero|zerodivision\w*",
    "cancelled": r"cancel\w*|interrupted|keyboardinterrupt|user request|aborted by|terminated by",
    "too deep": r"recursi\w+|stack overflow|call stack|stack size|nesting|too deep",
    "damaged": r"corrupt\w*|checksum|integrity|truncated|bad magic|not a (?:zip|gzip|valid) \w+|"
    r"crc|signature not found|damaged",
    "unpaid": r"insufficient (?:funds|balance|credit)|not (?:\w+ )?enough (?:funds|balance|credit|money)|"
    r"fondos (?:in)?suficientes|saldo insuficiente|余额不足|solde insuffisant",
    "conflicting": rf"(?:resolve|resolving|unmet|conflicting|incompatible) {SAID}dependenc\w+|"
    r"dependency (?:tree|conflict)|version conflict|merge conflict|unmerged",
    "forgotten": r"forgotten",
}

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
HOLE = re.compile(r"<[^<>]*>")
SIGNS = re.compile(r"[^\w']+|_")
SHORT_NOT = re.compile(r"\b(ca|wo|\w+)n['’]t\b")
SHORTENED = {"ca": "can", "wo": "will"}


@lru_cache(maxsize=4096)
def plain(template: str) -> str:
    """A template in plain words: names taken apart, no holes, no signs, nothing shortened.

    >>> plain("NoSuchKey: can't GET <url>")
    'no such key cannot get'
    """
    text = CAMEL.sub(" ", HOLE.sub(" ", template)).lower()
    text = SHORT_NOT.sub(lambda found: f"{SHORTENED.get(found[1], found[1])} not", text)
    text = " ".join(SIGNS.sub(" ", text).replace("'", "").split())
    return text.replace("can not", "cannot")


@cache
def _said() -> re.Pattern[str]:
    """All of the table as one expression; compiled on first use, for a quick import."""
    return re.compile("|".join(f"(?P<c{n}>{_lines(text)})" for n, text in enumerate(COMPLAINTS.values())))


def _lines(text: str) -> str:
    any_line = "|".join(line.strip() for line in text.strip().splitlines())
    return rf"(?<!\S)(?:{any_line})(?!\S)"


def heard(text: str) -> Iterator[tuple[str, int, int]]:
    """Each complaint of a plain text, and where it is said."""
    for name, expression in _each().items():
        for found in expression.finditer(text):
            yield name, found.start(), found.end()


@cache
def _each() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(_lines(text)) for name, text in COMPLAINTS.items()}


@lru_cache(maxsize=4096)
def complaints_of(template: str) -> frozenset[str]:
    """What an error complains of; nothing where the table does not know its words.

    >>> sorted(complaints_of("HTTP 429")), sorted(complaints_of("Rate limit exceeded"))
    (['limited'], ['limited', 'over quota'])
    """
    return frozenset(name for name, _, _ in heard(plain(template)))
