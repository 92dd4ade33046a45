"""Which project a session belongs to: the repository that its working directory lies in.

A project found by its folder is named by the repository's top folder, as an absolute path, so that
two repositories called `web` stay apart; people see and type the last part of it. Only folders
that exist here are looked at; for others the records decide.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from seasoned.core.errors import BadInput

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]")
# Folders that hold many projects, or none.
_SHARED = re.compile(r"(?:[a-z]:)?/?|/(?:root|tmp)|(?:[a-z]:)?/(?:home|Users)(?:/[^/]+)?")
_WORKTREE = re.compile(r"gitdir:\s*(.+?)[\\/]\.git[\\/]worktrees[\\/]")


def normal_folder(folder: str) -> str:
    """Return an absolute folder in one spelling; empty if it is none.

    >>> normal_folder("/home/ana/shop/"), normal_folder("C:\\\\Users\\\\ana\\\\shop")
    ('/home/ana/shop', 'c:/Users/ana/shop')
    >>> normal_folder("shop")
    ''
    """
    folder = folder.strip()
    if _WINDOWS.match(folder):
        folder = folder[0].lower() + folder[1:].replace("\\", "/")
    elif not folder.startswith("/"):
        return ""
    return "/" + posixpath.normpath(folder).lstrip("/") if folder[0] == "/" else _trimmed(folder)


def _trimmed(folder: str) -> str:
    return folder[:2] + posixpath.normpath(folder[2:])


def is_path(project: str) -> bool:
    """Whether a project is named by its folder.

    >>> is_path("/home/ana/shop"), is_path("c:/work/shop"), is_path("shop")
    (True, True, False)
    """
    return project.startswith("/") or _WINDOWS.match(project) is not None


def parents(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, up to the home folder or the root, without these.

    >>> list(parents("/home/ana/shop/api"))
    ['/home/ana/shop/api', '/home/ana/shop']
    """
    while not _SHARED.fullmatch(folder):
        yield folder
        folder = posixpath.dirname(folder)


def repository_of(folder: str) -> str | None:
    """Return the top folder of the git repository that this folder is in.

    Empty if it is in none, None if the folder does not exist here. A worktree belongs to the
    repository that it was made from.
    """
    here = Path(folder)
    try:
        if not here.is_dir():
            return None
        for place in (here, *here.parents):
            mark = place / ".git"
            if mark.is_dir():
                return normal_folder(str(place))
            if mark.is_file():
                linked = _WORKTREE.match(mark.read_text("utf-8", "replace"))
                return normal_folder(linked[1]) if linked else normal_folder(str(place))
    except OSError:  # a folder that may not be read tells nothing
        return None
    return ""


def projects_of(folders: Mapping[str, bool]) -> dict[str, str]:
    """Map each folder to its project; the values say which are known to lie in a repository.

    A folder that exists here belongs to its repository. Another one belongs to the topmost folder
    above it that is a repository or that the records show under version control; else it is a
    project of its own.

    >>> projects_of({"/gone/shop": True, "/gone/shop/api": True, "/gone": False})
    {'/gone/shop': '/gone/shop', '/gone/shop/api': '/gone/shop', '/gone': '/gone'}
    """
    found = {folder: repository_of(folder) for folder in folders}
    tops = {root for root in found.values() if root}
    tops |= {folder for folder, versioned in folders.items() if versioned and not found[folder]}
    result: dict[str, str] = {}
    for folder, root in found.items():
        above = reversed([*parents(folder)]) if root is None else ()
        result[folder] = root or next((one for one in above if one in tops), folder)
    return result


def project_at(folder: str, known: Iterable[str]) -> str:
    """Return the known project of a folder: by its path, else by its name; empty if there is none.

    >>> project_at("/gone/shop/api", ["/gone/shop"]), project_at("/gone/blog", ["blog"])
    ('/gone/shop', 'blog')
    """
    folder, projects = normal_folder(folder), set(known)
    if not folder or not projects:
        return ""
    root = repository_of(folder) or ""
    above = list(parents(folder))
    if root:  # what lies above a repository is another project
        above = [root, *(one for one in above if one.startswith(root + "/"))]
    names = [posixpath.basename(root or folder)] if root or above else []
    return next((one for one in (*above, *names) if one in projects), "")


def project_for(folder: str, known: Iterable[str]) -> str:
    """Return the project of a folder for something new: a known one, else the repository's.

    Empty for a folder that holds many projects, such as the home folder.

    >>> project_for("/gone/shop/api", ["/gone/shop"]), project_for("/gone/blog", [])
    ('/gone/shop', '/gone/blog')
    >>> project_for("/home/ana", [])
    ''
    """
    found = project_at(folder, known)
    here = normal_folder(folder)
    if found or not here:
        return found
    top = projects_of({here: False})[here]
    return "" if _SHARED.fullmatch(top) else top


def short_names(projects: Iterable[str]) -> dict[str, str]:
    """Return for each project the shortest end of its path that no other shares.

    >>> short_names(["/a/web", "/b/web", "/b/shop", "desk"])
    {'/a/web': 'a/web', '/b/web': 'b/web', '/b/shop': 'shop', 'desk': 'desk'}
    """
    every = list(projects)
    return {one: next(_ends(one, every), one) for one in every}


def _ends(project: str, every: Iterable[str]) -> Iterator[str]:
    if not is_path(project):
        return
    parts = project.strip("/").split("/")
    for number in range(1, len(parts) + 1):
        end = "/".join(parts[-number:])
        if not any(other != project and matches(end, other) for other in every):
            yield end


def matches(name: str, project: str) -> bool:
    """Whether a name means this project: its name, its path, or the end of its path.

    >>> matches("web", "/a/web"), matches("a/web", "/a/web"), matches("eb", "/a/web")
    (True, True, False)
    """
    return name == project or (is_path(project) and project.endswith("/" + name))


def chosen_project(name: str, known: Iterable[str]) -> str:
    """Return the known project that a name means, or the name itself for a new one."""
    if not name or is_path(name):
        return normal_folder(name)
    found = [project for project in known if matches(name, project)]
    if name in found or not found:
        return name
    if len(found) > 1:
        raise BadInput(f"several projects are called {name!r}: {', '.join(sorted(found))}")
    return found[0]
