"""Recognise the complaint of an error, whatever words the vendor uses.

Only so many things can be wrong with a call. Operating systems number them (errno), as do HTTP, SQL
and RPC; libraries and people use words. Two errors with different complaints are different errors,
however many words they share.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

# Fragments for the table below.
_CANNOT = r"(?:cannot|could not|unable to|failed to|failure to|not able to|not possible to)"
_IS = r"(?:is|are|was|were|be|been|has been|have been)"
_NOT = rf"(?:{_IS} )?(?:not|no longer|never)"
_INPUT = r"(?:argument|parameter|param|option|flag|field|property|key|keyword|value|operand)s?"
_CLAIM = r"(?:credential|password|passphrase|username|user name|token|api key|login|signature)s?"
_RIGHT = r"(?:permission|access|privilege|right|role|grant|scope)s?"
_SOME = r"(?:\S+ ){0,2}"
_STATUS = (
    r"(?:http|status|code|error|err|response|failed|answered|returned|^)(?: \w+)? (?:{0})(?!\S)"
)

# Each complaint and its wordings. A line is matched as whole words against plain text.
COMPLAINTS: dict[str, str] = {
    "absent": rf"""
        not (?:be )?(?:found|exist|present|located|there)|non ?existent|not (?:a )?known
        no such(?! host| option)|no(?= module named)|no(?= (?:\S+ ){{1,3}}(?:found|exists?))
        {_CANNOT} (?:find|locate|see|be found|be located)|nothing found
        has no(?= (?:attribute|member|method|property|field|column|element))
        unknown(?! error| option| argument| host| authority| flag| parameter| reason| issue| field)
        no match(?:es|ing)?(?: \w+)? for|did not match any|no rule to|no longer exists?
        not have an?(?= \w+ (?:type|named|called))|enoent|{_STATUS.format("404|410")}
        nicht (?:gefunden|vorhanden)|existier\w+ nicht|introuvable|n existe pas|aucun \w+
        no existe|no (?:se )?encontr\w+|n[aã]o (?:existe|encontrad\w+)|non (?:esiste|trovat\w+)
        不存在|未找到|找不到|見つかりません|存在しません|не (?:найден\w*|существует)
        """,
    "present": rf"""
        already (?:exists?|taken|registered|defined|declared|present)|exists already|file exists
        eexist|duplicated?|{_IS} (?:\w+ )?taken|not unique|unique constraint|must be unique
        existiert bereits|existe d[ée]j[aà]|ya existe|j[aá] existe|esiste gi[aà]|已存在|既に存在
        """,
    "forbidden": rf"""
        (?:permission|access|authori[sz]ation|operation|request)s? {_SOME}(?:denied|rejected)
        {_NOT} (?:permitted|allowed|authori[sz]ed|granted)|forbidden|eacces|eperm|no permissions?
        not (?:have|has) {_SOME}{_RIGHT}|(?:insufficient|missing|lacks?|without) {_SOME}{_RIGHT}
        (?:must be|requires?|unless you are) (?:root|admin\w*|superuser|owner)|noperm
        {_STATUS.format("403")}|(?:zugriff|berechtigung) {_SOME}verweigert|verweigert
        non accord\w+|acc[eè]s refus\w+|(?:acceso|permiso) denegado|acesso negado|permesso negato
        拒绝访问|权限不足|没有权限|拒否|доступ запрещ[её]н|отказано в доступе
        """,
    "unauthenticated": rf"""
        unauthori[sz]ed|unauthenticated|not (?:logged|signed) in|noauth|using password
        authenticat\w+ {_SOME}(?:failed|failure|required|needed|error|invalid|rejected)
        (?:invalid|incorrect|wrong|bad|unknown|missing|rejected|without an?) {_SOME}{_CLAIM}
        {_CLAIM} {_SOME}(?:invalid|incorrect|wrong|rejected|not accepted|not valid|mismatch)
        login failed|log ?in (?:first|again)|{_STATUS.format("401|407|535")}
        """,
    "expired": rf"""
        expired?|expiry|expires|{_NOT} valid (?:any ?more|any longer)|no longer valid|out of date
        abgelaufen|expir[ée]\w*|caducad\w+|vencid\w+|scadut\w+|已过期|期限切れ|ист[её]к
        """,
    "timed out": rf"""
        tim(?:ed|e|ing) ?out|timeouts?|deadline (?:has )?(?:been )?exceeded|etimedout
        took too long|not (?:\w+ )?respond|time limit|time exceeded|{_STATUS.format("408|504|524")}
        zeit[uü]berschreitung|d[ée]lai (?:d[ée]pass[ée]|expir[ée])|tempo esgotado
        tiempo (?:de espera )?agotado|超时|タイムアウト|время ожидания
        """,
    "refused": r"""
        connection (?:was )?refused|refused (?:the|our|your|a) connection|econnrefused
        actively refused|verbindung (?:wurde )?(?:abgelehnt|verweigert)|connexion refus[ée]e
        conexi[oó]n (?:rechazada|rehusada)|连接被拒绝|接続が拒否
        """,
    "dropped": r"""
        connection (?:was )?(?:reset|closed|aborted|lost|dropped|terminated|broken)|broken pipe
        epipe|econnreset|econnaborted|forcibly closed|socket hang up|went away|server closed
        closed the connection|unexpected (?:eof|end of file|disconnect)|disconnected
        """,
    "unresolved": rf"""
        {_CANNOT} (?:be )?(?:resolve|resolved|translate) {_SOME}(?:host|name|address|hostname|dns)
        name or service not known|name resolution|enotfound|nxdomain|getaddrinfo|no such host
        unknown host|nodename nor servname
        """,
    "unreachable": r"""
        unreachable|no route to|ehostunreach|enetunreach|not reachable|(?:host|network) is down
        """,
    "limited": rf"""
        too many (?:\w+ )?requests|rate (?:was |is )?(?:limit\w*|exceeded)|ratelimit\w*|throttl\w+
        slow down|request limit|requests? (?:\w+ )?too (?:often|fast)|{_STATUS.format("429")}
        """,
    "over quota": rf"""
        (?:over|exceed\w*) {_SOME}quota|quota {_SOME}(?:exceeded|reached)|edquot
        (?:limit|capacity) {_SOME}(?:exceeded|reached)|exceeds? {_SOME}limit
        more {_SOME}than your {_SOME}(?:limit|quota)
        """,
    "disk full": r"""
        no space left|disk (?:is )?full|enospc|not enough (?:disk )?space|out of (?:disk )?space
        insufficient (?:disk |storage )?space|kein speicherplatz|espace (?:disque )?insuffisant
        磁盘空间不足|ディスク容量
        """,
    "out of memory": rf"""
        out of (?:\w+ )?memory|{_CANNOT} allocate|not enough memory|enomem|oom|memory ?error
        insufficient memory|no memory left|heap limit|memory (?:limit )?(?:exhausted|exceeded)
        内存不足|メモリ不足
        """,
    "too large": rf"""
        too (?:large|long|big|many (?:tokens|arguments|columns|bytes))|(?:larger|longer) than
        exceeds? (?:the )?(?:\w+ )?(?:maximum|max|size|length|fixed limit|allowed)|e2big|efbig
        maximum {_SOME}(?:length|size|context)|emsgsize|over the maximum|{_STATUS.format("413")}
        no more than|zu (?:gro[sß]+|lang)|trop (?:grand|long)|demasiado (?:grande|larg\w)
        """,
    "too small": r"""
        too (?:small|short|few|low|little)|smaller than|below (?:the )?minimum
        less than the minimum|(?:must|should) be at least|not enough (?!memory|space|disk)\w+
        """,
    "out of range": r"""
        out of (?:range|bounds|domain)|erange|overflow|not in (?:the )?range|not representable
        outside (?:the )?\w*range
        """,
    "in use": r"""
        (?:already |currently )?in use|eaddrinuse|already (?:allocated|bound|running|open)
        (?:being |is )?used by another|(?:resource|device|file|is) busy|ebusy|occupied|belegt
        d[ée]j[aà] utilis[ée]e?|en uso|占用|使用中
        """,
    "locked": rf"""
        {_IS} locked|locked by|lock(?:ed|s)? {_SOME}held|lock file
        {_CANNOT} (?:get|acquire|obtain) {_SOME}lock
        (?:acquiring|locking|waiting for|obtaining|holding) {_SOME}(?:lock|state)
        gesperrt|verrouill[ée]e?|bloquead\w+
        """,
    "deadlocked": r"deadlock\w*|edeadlk",
    "read-only": r"read ?only|erofs|write protected|immutable|schreibgesch[uü]tzt|lecture seule",
    "unavailable": rf"""
        unavailable|maintenance|overloaded|{_NOT} (?:running|started|available)|try again later
        {_CANNOT} connect to the|is the \S+ (?:\w+ )?running|bad gateway|service is down
        {_STATUS.format("502|503|529")}|nicht verf[uü]gbar|indisponible|no disponible|不可用
        """,
    "unsupported": rf"""
        {_NOT} (?:\w+ )?(?:supported|implemented|enabled|accept\w*|support)|unsupported|enosys
        eopnotsupp|{_STATUS.format("405|406|415|501")}
        """,
    "outdated": r"deprecated|no longer (?:\w+ )?supported|obsolete|end of life|veraltet",
    "malformed": rf"""
        syntax ?error|error in your \w+ syntax|parse error|malformed|unterminated|unexpected token
        {_CANNOT} (?:be )?(?:parse|parsed|decode|decoded)|not be (?:parsed|decoded)|expecting value
        invalid (?:syntax|json|xml|yaml|format)|unbalanced|unclosed|not valid json|json decode
        """,
    "badly encoded": r"""
        codec|unicode \w+ error|unicode\w*error|invalid (?:utf|byte|continuation|start byte)
        utf \d* ?(?:sequence|encoded|error)|illegal (?:byte|multibyte)|eilseq|not encoded in
        encoding error
        """,
    "lacking": rf"""
        (?:{_INPUT}|body|header) {_SOME}(?:is )?(?:required|missing|mandatory)
        missing (?:\S+ )?{_SOME}{_INPUT}|(?:required|mandatory) {_SOME}{_INPUT}
        (?:required|mandatory) {_SOME}(?:is )?missing|missing operand|no value for|null value
        not null|must (?:be )?(?:given|provided?|specif(?:y|ied)|suppl(?:y|ied)|contain)
        (?:may|must|can|cannot) (?:not )?be (?:null|blank|empty)
        """,
    "unwanted": rf"""
        (?:unexpected|unknown|unrecogni[sz]ed|extra|illegal|invalid|unsupported) (?:\w+ )?{_INPUT}
        {_INPUT} {_SOME}(?:{_IS} )?(?:unknown|unexpected|unrecogni[sz]ed|not recogni[sz]ed)
        no such option|not a recogni[sz]ed|got an unexpected
        """,
    "of another type": r"""
        (?:incompatible|wrong|unexpected|invalid|mismatched) (?:data )?types?|type mismatch
        of type \S+ but (?:\w+ )?(?:is|was|got)|not (?:be )?convert\w*|cannot cast
        not (?:\w+ )?serializable|expected (?:an? )?\w+(?: but)? (?:got|found|received)
        """,
    "nothing there": r"""
        none ?type|(?:null|nil) pointer|of (?:undefined|null)|undefined is not|is undefined
        (?:null|none) (?:reference|object)
        """,
    "undefined": r"not (?:defined|declared)|undeclared|undefined(?! is)|symbol s? ?not found",
    "a directory": r"is a directory|eisdir",
    "no directory": r"not a directory|enotdir",
    "not empty": r"not empty|enotempty|nicht leer|no est[aá] vac[ií]o",
    "changed meanwhile": rf"""
        (?:modified|changed|updated) (?:by|since)|etag|precondition failed|stale|out of sync
        (?:remote|branch) {_SOME}contains work|fetch first|non fast forward|edit conflict
        not up to date|serialize access|concurrent update|{_STATUS.format("409|412")}
        """,
    "mismatched": r"mismatch\w*|(?:does|do|did) not match(?! any)|not (?:be )?equal|differs from",
    "untrusted": r"""
        self signed|unknown authority|issuer certificate|certificate verify|verify (?:the )?cert\w*
        untrusted|not trusted|dubious|unsafe|host key|identification has changed|unsigned
        """,
    "orphaned": r"foreign key",
    "divided by zero": r"(?:division|divided?|divisor|modulo) (?:\w+ ){0,4}zero|zero ?division",
    "cancelled": r"""
        cancel\w*|interrupted|keyboard ?interrupt|user request|(?:aborted|terminated) by
        """,
    "too deep": r"recursi\w+|stack overflow|call stack|stack size|nesting|too deep",
    "damaged": r"""
        corrupt\w*|checksum|integrity|truncated|bad magic|not a (?:zip|gzip|valid) \w+|crc|damaged
        """,
    "unpaid": r"""
        insufficient (?:funds|balance|credit)|not (?:\w+ )?enough (?:funds|balance|credit|money)
        fondos (?:in)?suficientes|saldo insuficiente|solde insuffisant|余额不足
        """,
    "conflicting": rf"""
        (?:resolve|resolving|unmet|conflicting|incompatible) {_SOME}dependenc\w+
        dependency (?:tree|conflict)|version conflict|merge conflict|unmerged
        """,
}

# Complaints that another one implies: "rate limit exceeded, try later".
MUTED: dict[str, str] = {
    "limited": "over quota|unavailable|too large",
    "timed out": "unavailable|dropped|too large",
    "disk full": "over quota|out of memory|too small",
    "out of memory": "too small|too large|over quota",
    "unpaid": "too small",
    "present": "unavailable|in use",
    "changed meanwhile": "mismatched|present",
    "badly encoded": "malformed|out of range|unwanted",
    "unauthenticated": "unsupported",
    "forbidden": "unauthenticated",
    "unresolved": "absent|unavailable",
    "refused": "unavailable",
    "undefined": "absent",
    "damaged": "absent|malformed",
    "too deep": "too large|over quota|out of memory|out of range",
    "mismatched": "untrusted",
    "expired": "untrusted|unauthenticated",
    "deadlocked": "locked",
    "orphaned": "present",
    "lacking": "absent|unwanted",
    "outdated": "unsupported|unwanted",
    "unsupported": "unwanted",
    "unwanted": "absent",
}

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HOLE = re.compile(r"<[^<>]*>")
_SIGNS = re.compile(r"[^\w']+|_")
_SHORT_NOT = re.compile(r"\b(\w+)n['’]t\b")
_WHOLE = {"ca": "can", "wo": "will"}
_SURE = "(?<!may be )(?<!might be )(?<!could be )(?<!possibly )"  # "may be missing" is no complaint
_LETTER = "[a-z0-9à-öø-ÿа-яё]"  # scripts with spaces; in others words have no visible end


@lru_cache(maxsize=4096)
def plain_words(template: str) -> str:
    """Reduce a template to plain words: split names, drop holes and signs, expand contractions.

    >>> plain_words("NoSuchKey: can't GET <url>")
    'no such key cannot get'
    """
    text = _CAMEL.sub(" ", _HOLE.sub(" ", template)).lower()
    text = _SHORT_NOT.sub(lambda found: f"{_WHOLE.get(found[1], found[1])} not", text)
    text = " ".join(_SIGNS.sub(" ", text).replace("'", "").split())
    return text.replace("can not", "cannot")


def complaints_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Return the complaints in a plain text, each with its start and end.

    >>> list(complaints_in("rate limit exceeded try again later"))
    [('limited', 0, 10)]
    """
    found = [
        (name, match.start(), match.end())
        for name, said in _expressions().items()
        for match in said.finditer(text)
    ]
    muted = {name for complaint, _, _ in found for name in MUTED.get(complaint, "").split("|")}
    return (one for one in found if one[0] not in muted)


@cache
def _expressions() -> dict[str, re.Pattern[str]]:
    """Compile the table on first use, to keep imports quick."""
    return {name: re.compile(_any_line(lines)) for name, lines in COMPLAINTS.items()}


def _any_line(lines: str) -> str:
    either = "|".join(line.strip() for line in lines.strip().splitlines())
    return rf"{_SURE}(?<!{_LETTER})(?:{either})(?!{_LETTER})"
