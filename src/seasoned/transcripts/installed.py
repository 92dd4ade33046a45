"""Find the sessions of the coding assistants that are installed on a machine, by project."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seasoned.db.foreign import logs_of
from seasoned.transcripts.files import AIDER, OPENCODE, SPECSTORY, transcript_files
from seasoned.transcripts.projects import normal_folder, projects_of, short_names
from seasoned.transcripts.reader import Reading

OLD_STORE = "opencode/storage"  # its sessions are in the database, if there is one
# Where each assistant keeps its sessions, below one of the folders that `_roots` names.
PLACES = (
    ("Claude Code", "claude", "projects"),
    ("Codex", "codex", "sessions"),
    ("Codex", "codex", "archived_sessions"),
    ("Gemini CLI", "home", ".gemini/tmp/*/chats"),
    ("Qwen Code", "home", ".qwen/projects/*/chats"),
    ("OpenCode", "data", f"opencode/{OPENCODE}"),
    ("OpenCode", "data", OLD_STORE),
    ("Copilot CLI", "home", ".copilot/session-state"),
    ("Copilot in VS Code", "editors", "workspaceStorage/*/chatSessions"),
    ("Cursor", "cursor", "globalStorage/state.vscdb"),
    ("Cursor", "home", ".cursor/chats/*/*/store.db"),
    ("Cursor", "home", ".cursor/projects/*/agent-transcripts"),
    ("Cline", "editors", "globalStorage/saoudrizwan.claude-dev/tasks"),
    ("Cline", "home", ".cline/data/sessions"),
    ("Roo Code", "editors", "globalStorage/rooveterinaryinc.roo-cline/tasks"),
    ("Amp", "data", "amp/threads"),
    ("Goose", "data", "goose/sessions"),
    ("Goose", "goose", "data/sessions"),
    ("Continue", "home", ".continue/sessions"),
    ("Windsurf", "home", ".windsurf/transcripts"),
    ("Factory Droid", "home", ".factory/sessions"),
    ("pi", "home", ".pi/agent/sessions"),
    ("Kimi", "home", ".kimi/sessions"),
    ("Kimi", "home", ".kimi-code/sessions"),
    ("OpenHands", "home", ".openhands/sessions"),
    ("Aider", "here", AIDER),
    ("SpecStory", "here", f"{SPECSTORY}/history"),
)
EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
INDEXES = ("sessions.json",)  # of Continue: titles, no sessions
FEW_RECORDS = 8  # tell the folder of most sessions
SEVERAL = "several projects"


@dataclass(frozen=True, slots=True)
class Machine:
    """What tells where programs keep their files."""

    home: Path
    here: Path  # the current folder
    platform: str  # as `sys.platform` names it
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A file or folder with one session, or a database with many."""

    assistant: str
    path: Path
    folders: tuple[tuple[str, bool], ...]  # with whether they are known to be in a repository
    sessions: int
    last: float  # when it was last written, in seconds since 1970


@dataclass(frozen=True, slots=True)
class FoundProject:
    """The sessions of one project; a database with sessions of several is told on its own."""

    project: str
    name: str
    files: Sequence[Path]
    assistants: Mapping[str, int]  # with the number of their sessions
    last: float

    @property
    def sessions(self) -> int:
        return sum(self.assistants.values())


def found_projects(machine: Machine) -> list[FoundProject]:
    """Return the projects with sessions on this machine, the latest first."""
    found = list(found_sessions(machine))
    folders: dict[str, bool] = {}
    for folder, versioned in (one for session in found for one in session.folders):
        folders[folder] = folders.get(folder, False) or versioned
    projects = projects_of(folders)
    groups: dict[str, list[FoundSession]] = {}
    for session in found:
        of = {projects[folder] for folder, _ in session.folders}
        key = next(iter(of), "") if len(of) < 2 else f"{SEVERAL} ({session.path})"
        groups.setdefault(key, []).append(session)
    names = short_names(groups)
    listed = [_project(key, names[key], sessions) for key, sessions in groups.items()]
    return sorted(listed, key=lambda one: (-one.last, one.project))


def _project(project: str, name: str, sessions: Iterable[FoundSession]) -> FoundProject:
    counts: Counter[str] = Counter()
    files: list[Path] = []
    last = 0.0
    for session in sessions:
        counts[session.assistant] += session.sessions
        files.append(session.path)
        last = max(last, session.last)
    return FoundProject(project, name, files, dict(counts.most_common()), last)


def found_sessions(machine: Machine) -> Iterator[FoundSession]:
    """Yield the sessions of every assistant; an older store of OpenCode is left to its database."""
    seen: set[Path] = set()
    for assistant, root, pattern in PLACES:
        places = [place for base in _roots(machine)[root] for place in sorted(base.glob(pattern))]
        if pattern == OLD_STORE and any(path.match(OPENCODE) for path in seen):
            continue
        for path in transcript_files(places):
            if path not in seen and path.name not in INDEXES:
                seen.add(path)
                yield _session(assistant, path)


def _session(assistant: str, path: Path) -> FoundSession:
    reading = Reading(path)
    origins = reading.origins(FEW_RECORDS)
    if not any(origin.folder for origin in origins):
        origins = reading.origins()
    folders = {
        normal_folder(origin.folder): origin.in_repository for origin in origins if origin.folder
    }
    folders.pop("", None)
    mains = {origin.session for origin in origins if "/" not in origin.session}
    last = max(_written(file) for file in (path, *logs_of(path)))
    return FoundSession(assistant, path, tuple(folders.items()), max(1, len(mains)), last)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _roots(machine: Machine) -> Mapping[str, Sequence[Path]]:
    """Return the folders below which programs keep their files on this system."""
    home, told = machine.home, machine.variables
    windows = machine.platform == "win32"
    roaming = Path(told.get("APPDATA") or home / "AppData" / "Roaming")
    local = Path(told.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if windows:
        applications = roaming
    elif machine.platform == "darwin":
        applications = home / "Library" / "Application Support"
    else:
        applications = Path(told.get("XDG_CONFIG_HOME") or home / ".config")
    data = [Path(told.get("XDG_DATA_HOME") or home / ".local" / "share")]
    return {
        "home": [home],
        "here": [machine.here],
        "claude": [Path(told.get("CLAUDE_CONFIG_DIR") or home / ".claude")],
        "codex": [Path(told.get("CODEX_HOME") or home / ".codex")],
        "data": [*data, local] if windows else data,
        "editors": [applications / name / "User" for name in EDITORS],
        "cursor": [applications / "Cursor" / "User"],
        "goose": [roaming / "Block" / "goose"] if windows else [],
    }
