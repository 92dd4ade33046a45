"""Find the words that one text replaced in another, and make the same replacement elsewhere.

A swap is plain JSON: {"old", "new"} replaces every `old`, {"after", "new"} inserts behind a word,
{"front"} puts something first, {"prefix"} and {"suffix"} complete the word that the error rejects.
`old` and `after` match whole words, in any case.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from seasoned.changes.error_text import ErrorText

TOKEN = re.compile(r"\w+|[^\w\s]")
WORDY = re.compile(r"\w")
MOST_TOKENS = 400  # of a text that is compared
_JOINING = frozenset(".-:@+=$~#%")
LONGEST_RUN = 6  # tokens replaced or put: a longer run is another text, not a repair
LONGEST_WORDS = 80  # characters of whole words that are replaced or put

# Additions that hide a failure instead of repairing it: a pipe returns the exit code of its end.
_HIDING = re.compile(
    r"\|\s*(?:head|tail|cat|less|more|grep|rg|tee|wc|sort|sed|awk|cut|jq)\b"
    r"|\|\|\s*(?:true|:|echo|exit 0)|;\s*(?:true|echo|exit 0|exit=)\b|2>\s*/dev/null|&>\s*/dev/null"
    r"|\bset \+e\b|&\s*\Z|\bif\b.{1,400}\bthen\b|(?:\A|[;&|]\s*)!\s"
)

Swap = Mapping[str, Any]
_Tokens = list[re.Match[str]]


def swaps_between(old: str, new: str) -> list[Swap]:
    """Return each replacement on its own, as few words as differ and as the whole words.

    >>> swaps_between("rtk bun test", "bun test")
    [{'old': 'rtk', 'new': ''}]
    >>> swaps_between("gh pr diff 88 --stat", "gh pr diff 88 --name-only")
    [{'old': 'stat', 'new': 'name-only'}, {'old': '--stat', 'new': '--name-only'}]
    """
    before, after = list(TOKEN.finditer(old)), list(TOKEN.finditer(new))
    if max(len(before), len(after)) > MOST_TOKENS:
        return []
    names = [token[0] for token in before], [token[0] for token in after]
    found: dict[tuple[tuple[str, str], ...], Swap] = {}
    for tag, *span in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for swap in _swaps(_Texts(old, new, before, after), *span):
            found[tuple(sorted(swap.items()))] = swap
    return list(found.values())


class _Texts:
    """Two texts with their tokens."""

    def __init__(self, old: str, new: str, before: _Tokens, after: _Tokens) -> None:
        self.old, self.new, self.before, self.after = old, new, before, after

    def gone(self, start: int, stop: int) -> str:
        return self.old[self.before[start].start() : self.before[stop - 1].end()]

    def come(self, start: int, stop: int) -> str:
        return self.new[self.after[start].start() : self.after[stop - 1].end()]


def _swaps(texts: _Texts, i: int, j: int, k: int, m: int) -> Iterator[Swap]:
    if max(j - i, m - k) > LONGEST_RUN:
        return
    if i == j and k < m and not _is_glued(texts, i, k, m):
        yield from _insertions(texts, i, k, m)
        return
    if i < j:
        gone, come = texts.gone(i, j), texts.come(k, m) if k < m else ""
        if WORDY.search(gone + come):
            yield {"old": gone, "new": come}
    i, j, k, m = _widened(texts, i, j, k, m, _JOINING) if i < j else _widened(texts, i, j, k, m)
    if i == j:
        return
    gone, come = texts.gone(i, j), texts.come(k, m) if k < m else ""
    if max(len(gone), len(come)) <= LONGEST_WORDS and WORDY.search(gone + come):
        yield {"old": gone, "new": come}


def _insertions(texts: _Texts, i: int, k: int, m: int) -> Iterator[Swap]:
    """Separate words that came in: at the front, or behind a word that was there."""
    if not WORDY.search(texts.come(k, m)):
        return
    if i == 0:
        if m < len(texts.after):
            yield {"front": texts.new[: texts.after[m].start()]}
        return
    word = _word_before(texts.old, texts.before, i)
    yield {"after": word, "new": texts.new[texts.after[k - 1].end() : texts.after[m - 1].end()]}


def _word_before(text: str, tokens: _Tokens, index: int) -> str:
    """Return the word that ends with the token before `index`."""
    end = tokens[index - 1].end()
    return text[:end].rsplit(maxsplit=1)[-1]


def _is_glued(texts: _Texts, i: int, k: int, m: int) -> bool:
    """Tell whether what came in became part of a word that was there."""
    left = i > 0 and k > 0 and texts.after[k - 1].end() == texts.after[k].start()
    right = m < len(texts.after) and texts.after[m - 1].end() == texts.after[m].start()
    return left or right


def _widened(
    texts: _Texts, i: int, j: int, k: int, m: int, joining: frozenset[str] | None = None
) -> tuple[int, int, int, int]:
    """Extend a difference to the whole words in which it stands, as far as these signs join."""
    old, new = texts.before, texts.after
    while i > 0 and k > 0 and (_glued(old, i - 1, joining) or _glued(new, k - 1, joining)):
        i, k = i - 1, k - 1
    while (
        j < len(old)
        and m < len(new)
        and (_glued(old, j - 1, joining) or _glued(new, m - 1, joining))
    ):
        j, m = j + 1, m + 1
    return i, j, k, m


def _glued(tokens: _Tokens, index: int, joining: frozenset[str] | None) -> bool:
    """Tell whether a token and the next are parts of one word; None: whatever joins them."""
    if not 0 <= index < len(tokens) - 1 or tokens[index].end() != tokens[index + 1].start():
        return False
    pair = (token[0] for token in tokens[index : index + 2])
    return joining is None or all(WORDY.match(token) or token in joining for token in pair)


def hides_failure(failed: str, worked: str) -> bool:
    """Tell whether the second command says less about a failure than the first.

    >>> hides_failure("make lint", "make lint | tail -30"), hides_failure("a | tail", "b | tail")
    (True, False)
    """
    return len(_HIDING.findall(worked)) > len(_HIDING.findall(failed))


def rejected_words(error: ErrorText) -> frozenset[str]:
    """Return the words that an error quotes; of a dotted name the last part.

    >>> from seasoned.changes.error_text import read_error
    >>> rejected_words(read_error("Unknown column 't1.sname' in 'field list'"))
    frozenset({'sname'})
    """
    runs = [TOKEN.findall(quoted.casefold()) for quoted in error.quoted if " " not in quoted]
    return frozenset(words[-1] for words in runs if words and WORDY.search(words[-1]))


def completions(swaps: Sequence[Swap], rejected: frozenset[str]) -> list[Swap]:
    """Return what was put before or behind a word that the error rejects, whatever the word.

    >>> completions([{"old": "orders", "new": "sales.orders"}], frozenset({"orders"}))
    [{'prefix': 'sales.'}]
    """
    found: list[Swap] = []
    for swap in swaps:
        old, new = str(swap.get("old", "")), str(swap.get("new", ""))
        if not old or old.casefold() not in rejected or len(new) <= len(old):
            continue
        if new.casefold().endswith(old.casefold()):
            found.append({"prefix": new[: -len(old)]})
        elif new.casefold().startswith(old.casefold()):
            found.append({"suffix": new[len(old) :]})
    return found


def _completed(swap: Swap, text: str, error: ErrorText) -> str | None:
    """Complete the rejected words, unless they are complete already."""
    prefix, suffix = str(swap.get("prefix", "")), str(swap.get("suffix", ""))
    before = f"(?<!{re.escape(prefix)})" if prefix else ""
    behind = f"(?!{re.escape(suffix)})" if suffix else ""
    made = text
    for word in rejected_words(error):
        found = re.compile(before + _pattern(word).pattern + behind, re.IGNORECASE)
        made = found.sub(lambda match: f"{prefix}{match[0]}{suffix}", made)
    return None if made == text else made


def _is_rejected(words: str, error: ErrorText) -> bool:
    return not rejected_words(error).isdisjoint(TOKEN.findall(words.casefold()))


def applied(swap: Swap, text: str, error: ErrorText | None = None) -> str | None:
    """Make the replacement in another text; None if it does not fit.

    A swap with "named" fits only if the error complains about the words that it replaces.

    >>> applied({"old": "rtk", "new": ""}, "cd app && rtk bun lint")
    'cd app && bun lint'
    >>> applied({"after": "diff", "new": " --name-only"}, "gh pr diff 7")
    'gh pr diff --name-only 7'
    >>> applied({"front": "cd src && "}, "cd src && go vet") is None
    True
    """
    if "front" in swap:
        front = swap["front"]
        return None if text.lstrip().startswith(front.strip()) else front + text
    if "prefix" in swap or "suffix" in swap:
        return _completed(swap, text, error) if error is not None else None
    if "after" in swap:
        found = _pattern(swap["after"]).search(text)
        if found is None or swap["new"].strip() in text:
            return None
        return text[: found.end()] + swap["new"] + text[found.end() :]
    if error is not None and swap.get("named") and not _is_rejected(swap["old"], error):
        return None
    new = swap["new"]
    if not new:
        made = re.sub(r"(?:^\s*{0}\s*|\s*{0})".format(_pattern(swap["old"]).pattern), "", text,
                      flags=re.IGNORECASE)  # fmt: skip
    else:
        made = _pattern(swap["old"]).sub(lambda _: new, text)
    return None if made == text else made


def says(text: str, words: str) -> bool:
    """Tell whether a text holds these words, whole and in any case."""
    return _pattern(words).search(text) is not None


@lru_cache(maxsize=512)
def _pattern(words: str) -> re.Pattern[str]:
    """Match whole words; any white space between them."""
    parts = r"\s+".join(re.escape(part) for part in words.split())
    start = r"(?<!\w)" if words[:1].isalnum() or words[:1] == "_" else ""
    end = r"(?!\w)" if words[-1:].isalnum() or words[-1:] == "_" else ""
    return re.compile(start + parts + end, re.IGNORECASE)
