"""Sessions of a coding assistant with files and a shell."""

# ruff: noqa: E501 -- what people and tools said is one string each, however long

from stories.code_calls import (
    LL,
    NO_PYTEST,
    PT,
    RB,
    UNREAD,
    edit,
    edit_no,
    everyday,
    look,
    no_module,
    not_found,
    port_taken,
    rejected,
    sh,
    sh_no,
)
from stories.steps import Story, bot, no, ok, user


def coding() -> list[Story]:
    return [
        Story(
            PT,
            "2025-02-03T09:12:40",
            [
                user(
                    "the carrier webhook drops the error code, can you have a look and run the tests"
                ),
                bot("I'll look at how the webhook builds its response."),
                *everyday(PT, 6),
                look(
                    f"{PT}/src/parcels/carriers.py",
                    "def on_event(event):",
                    "    state = event['state']",
                    "    return {'state': state}",
                ),
                edit(
                    f"{PT}/src/parcels/carriers.py",
                    "    return {'state': state}",
                    "    return {'state': state, 'error_code': event.get('error_code')}",
                ),
                sh_no("pytest -q tests/test_carriers.py", NO_PYTEST, "Run carrier tests"),
                sh(
                    "python -m pytest -q tests/test_carriers.py",
                    "....\n4 passed in 0.31s",
                    "Run carrier tests",
                ),
                bot("The error code is passed through now; the carrier tests pass."),
            ],
        ),
        Story(
            PT,
            "2025-02-04T14:01:05",
            [
                user("store.find should be case-insensitive"),
                *everyday(PT, 5),
                edit_no(
                    f"{PT}/src/parcels/store.py", "def find(code):", "def find(code: str):", UNREAD
                ),
                look(
                    f"{PT}/src/parcels/store.py",
                    "def find(code: str) -> Parcel | None:",
                    "    return _rows.get(code)",
                ),
                edit(
                    f"{PT}/src/parcels/store.py",
                    "    return _rows.get(code)",
                    "    return _rows.get(code.upper())",
                ),
                sh_no("pytest tests/test_store.py -x", NO_PYTEST),
                sh("ls tests", "test_carriers.py\ntest_routes.py\ntest_store.py"),
                sh(
                    "python -m pytest tests/test_store.py -x",
                    "collected 7 items\n\n7 passed in 0.22s",
                ),
                user("nice. commit and push it"),
                sh("git commit -qam 'Find parcels in any case'", ""),
                sh_no(
                    "git push origin main",
                    rejected("git@git.example.com:dev/parcel-tracker.git", "main"),
                ),
                sh(
                    "git pull --rebase origin main",
                    "Successfully rebased and updated refs/heads/main.",
                ),
                sh(
                    "git push origin main",
                    "To git@git.example.com:dev/parcel-tracker.git\n   4be1f0a..c01d9aa  main -> main",
                ),
                bot("Pushed, after rebasing on two commits that were there already."),
            ],
        ),
        Story(
            LL,
            "2025-02-05T10:40:11",
            [
                user("why is rounding off by a cent in the yearly report?"),
                bot("Let me reproduce it with the report script first."),
                *everyday(LL, 5),
                sh_no(
                    "python scripts/yearly.py --year 2024",
                    no_module(f"{LL}/scripts/yearly.py", 3, "babel"),
                ),
                sh(
                    ".venv/bin/python scripts/yearly.py --year 2024",
                    "total: 18,204.31 (expected 18,204.32)",
                ),
                look(
                    f"{LL}/ledgerline/rates.py",
                    "from decimal import Decimal",
                    "",
                    "def convert(amount, rate):",
                    "    return round(amount * rate, 2)",
                ),
                edit(
                    f"{LL}/ledgerline/rates.py",
                    "    return round(amount * rate, 2)",
                    "    return (amount * rate).quantize(CENT, ROUND_HALF_UP)",
                ),
                sh_no("pytest -q", NO_PYTEST),
                sh("python -m pytest -q", "................\n16 passed in 0.80s"),
                user("no, don't round in convert. round once, when the total is printed"),
                edit(
                    f"{LL}/ledgerline/rates.py",
                    "    return (amount * rate).quantize(CENT, ROUND_HALF_UP)",
                    "    return amount * rate",
                ),
                bot(
                    "Understood: `convert` keeps full precision, and the report rounds once at the end."
                ),
            ],
        ),
        Story(
            RB,
            "2025-02-06T16:22:48",
            [
                user("add a search box above the recipe list"),
                *everyday(RB, 6),
                edit_no(
                    f"{RB}/web/src/App.tsx",
                    "<List items={recipes} />",
                    "<Search onChange={setQuery} />\n<List items={shown} />",
                    not_found("<List items={recipes} />"),
                ),
                look(
                    f"{RB}/web/src/App.tsx",
                    "export function App() {",
                    "  const recipes = useRecipes();",
                    "  return <List recipes={recipes} />;",
                    "}",
                ),
                edit(
                    f"{RB}/web/src/App.tsx",
                    "  return <List recipes={recipes} />;",
                    "  return <><Search onChange={setQuery} /><List recipes={shown} /></>;",
                ),
                sh_no(
                    "cd web && npm run test:unit",
                    'Exit code 1\nnpm error Missing script: "test:unit"\n'
                    "npm error\nnpm error To see a list of scripts, run:\nnpm error   npm run",
                ),
                sh(
                    "cd web && npm run test", "Test Files  6 passed (6)\n     Tests  31 passed (31)"
                ),
                bot("The search box is in, and filters as you type."),
            ],
        ),
        Story(
            PT,
            "2025-02-10T08:55:19",
            [
                user("start the api so I can click around"),
                sh_no("uvicorn parcels.routes:app --port 8000", port_taken(8000), "Start the API"),
                sh(
                    "uvicorn parcels.routes:app --port 8001 & sleep 1; curl -s localhost:8001/health",
                    '{"status":"ok"}',
                    "Start the API on a free port",
                ),
                bot("It runs on http://localhost:8001 (8000 was taken)."),
                user("thanks. the weight is shown in kg, should be grams"),
                *everyday(PT, 5),
                edit_no(
                    f"{PT}/src/parcels/routes.py",
                    "'weight': parcel.weight_g / 1000,",
                    "'weight': parcel.weight_g,",
                    not_found("'weight': parcel.weight_g / 1000,"),
                ),
                look(
                    f"{PT}/src/parcels/routes.py",
                    "def show(parcel):",
                    "    return {",
                    '        "weight": parcel.weight_g / 1000,',
                    "    }",
                ),
                edit(
                    f"{PT}/src/parcels/routes.py",
                    '        "weight": parcel.weight_g / 1000,',
                    '        "weight_g": parcel.weight_g,',
                ),
                sh("python -m pytest -q tests/test_routes.py", "............\n12 passed in 0.57s"),
            ],
        ),
        Story(
            LL,
            "2025-02-11T11:31:27",
            [
                user("import last month's csv into a scratch book and tell me what fails"),
                sh_no(
                    "python -m ledgerline import data/january.csv --book scratch.db",
                    no_module(f"{LL}/ledgerline/csv_import.py", 7, "charset_normalizer"),
                ),
                sh(
                    ".venv/bin/python -m ledgerline import data/january.csv --book scratch.db",
                    "imported 482 rows, skipped 3 (no date)",
                ),
                *everyday(LL, 5),
                sh(
                    "sed -n '17p;201p;339p' data/january.csv",
                    ",12.00,coffee\n,7.20,tram\n,55.10,books",
                ),
                bot("Three rows were skipped, all without a date: lines 17, 201 and 339."),
                user("fix them by hand: all three are from the 31st"),
                edit_no(
                    f"{LL}/data/january.csv", ",12.00,coffee", "2025-01-31,12.00,coffee", UNREAD
                ),
                look(f"{LL}/data/january.csv", "date,amount,text", "2025-01-02,3.10,bread"),
                edit(f"{LL}/data/january.csv", ",12.00,coffee", "2025-01-31,12.00,coffee"),
                sh(
                    ".venv/bin/python -m ledgerline import data/january.csv --book scratch.db",
                    "imported 485 rows",
                ),
            ],
        ),
        Story(
            RB,
            "2025-02-13T15:03:02",
            [
                user("deploy preview please"),
                *everyday(RB, 4),
                sh(
                    "cd web && npm run build",
                    "vite v6.0.3 building for production...\n✓ built in 2.41s",
                ),
                sh_no(
                    "scp -r web/dist preview@preview.example.com:/srv/preview",
                    "Exit code 255\npreview@preview.example.com: Permission denied (publickey).\nscp: Connection closed",
                ),
                sh("ssh-add -l || true", "The agent has no identities."),
                bot(
                    "I can't deploy: there is no SSH key loaded for preview.example.com. Could you add it?"
                ),
                user("ah, key is on my other laptop. leave it for today"),
            ],
        ),
        Story(
            PT,
            "2025-02-17T09:47:55",
            [
                user("add retries to the carrier client, three attempts with backoff"),
                *everyday(PT, 6),
                look(
                    f"{PT}/src/parcels/client.py",
                    "import httpx",
                    "",
                    "def fetch(url):",
                    "    return httpx.get(url, timeout=5)",
                ),
                edit(
                    f"{PT}/src/parcels/client.py",
                    "    return httpx.get(url, timeout=5)",
                    "    return _with_retries(lambda: httpx.get(url, timeout=5))",
                ),
                sh_no(
                    "python scripts/ping_carriers.py --all",
                    no_module(f"{PT}/scripts/ping_carriers.py", 2, "httpx"),
                ),
                sh(
                    ".venv/bin/python scripts/ping_carriers.py --all",
                    "acme-post ok 121ms\nbluebird ok 88ms",
                ),
                sh_no("pytest -q tests -k client", NO_PYTEST),
                sh("python -m pytest -q tests -k client", "...\n3 passed, 19 deselected in 0.35s"),
                sh("git commit -qam 'Retry carrier calls'", ""),
                sh_no(
                    "git push origin retries",
                    rejected("git@git.example.com:dev/parcel-tracker.git", "retries"),
                ),
                sh(
                    "git pull --rebase origin retries",
                    "Successfully rebased and updated refs/heads/retries.",
                ),
                sh("git push origin retries", "   77aa01f..e2b8c44  retries -> retries"),
            ],
        ),
        Story(
            RB,
            "2025-02-18T13:20:36",
            [
                user("the card component shows undefined when there's no photo"),
                *everyday(RB, 5),
                edit_no(
                    f"{RB}/web/src/components/Card.tsx",
                    "<img src={recipe.photo}/>",
                    "{recipe.photo && <img src={recipe.photo} />}",
                    not_found("<img src={recipe.photo}/>"),
                ),
                look(
                    f"{RB}/web/src/components/Card.tsx",
                    "export function Card({ recipe }: Props) {",
                    "  return <article>",
                    "    <img src={recipe.photo} alt={recipe.title} />",
                ),
                edit(
                    f"{RB}/web/src/components/Card.tsx",
                    "    <img src={recipe.photo} alt={recipe.title} />",
                    "    {recipe.photo && <img src={recipe.photo} alt={recipe.title} />}",
                ),
                sh_no(
                    "cd web && npm run typecheck",
                    'Exit code 1\nnpm error Missing script: "typecheck"\n'
                    "npm error\nnpm error To see a list of scripts, run:\nnpm error   npm run",
                ),
                sh(
                    "cd web && npm run",
                    "Scripts available in recipe-box:\n  dev\n    vite\n  test\n    vitest run\n  lint\n    eslint .",
                ),
                sh("cd web && npx tsc --noEmit", ""),
                bot("Cards without a photo now show only their text."),
            ],
        ),
        Story(
            LL,
            "2025-02-20T17:45:09",
            [
                user("clean up the old scratch books"),
                ok(
                    "Glob",
                    "scratch.db\nscratch-2.db\nold/scratch-2023.db",
                    pattern="**/scratch*.db",
                ),
                no(
                    "Bash",
                    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if "
                    "it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, "
                    "the user said:\nnot old/, that one is the archive",
                    command="rm -v scratch*.db old/scratch*.db",
                ),
                sh("rm -v scratch.db scratch-2.db", "removed 'scratch.db'\nremoved 'scratch-2.db'"),
                bot("Removed the two in the root; old/ is untouched."),
            ],
        ),
        Story(
            PT,
            "2025-02-24T10:08:14",
            [
                user("show me the docs locally"),
                sh_no(
                    "python -m http.server 8080 -d site",
                    "Exit code 1\nOSError: [Errno 98] Address already in use",
                ),
                sh(
                    "python -m http.server 8097 -d site & sleep 1; curl -sI localhost:8097 | head -1",
                    "HTTP/1.0 200 OK",
                ),
                *everyday(PT, 4),
                user("and the api next to it?"),
                sh_no("uvicorn parcels.routes:app --port 8000 --reload", port_taken(8000)),
                sh(
                    "uvicorn parcels.routes:app --port 8123 --reload & sleep 1; curl -s localhost:8123/health",
                    '{"status":"ok"}',
                ),
                bot("Docs on 8097, API on 8123."),
            ],
        ),
        Story(
            LL,
            "2025-02-26T09:15:50",
            [
                user("bump to 0.10 and run everything"),
                edit_no(f"{LL}/pyproject.toml", 'version = "0.9.1"', 'version = "0.10.0"', UNREAD),
                look(
                    f"{LL}/pyproject.toml", "[project]", 'name = "ledgerline"', 'version = "0.9.2"'
                ),
                edit(f"{LL}/pyproject.toml", 'version = "0.9.2"', 'version = "0.10.0"'),
                *everyday(LL, 6),
                sh_no("pytest --tb=short", NO_PYTEST),
                sh("python -m pytest --tb=short", "collected 61 items\n\n61 passed in 2.04s"),
                sh("git tag v0.10.0", ""),
                sh_no(
                    "git push origin rounding-fixes --tags",
                    rejected("git@git.example.com:dev/ledgerline.git", "rounding-fixes"),
                ),
                sh(
                    "git pull --rebase origin rounding-fixes",
                    "Successfully rebased and updated refs/heads/rounding-fixes.",
                ),
                sh(
                    "git push origin rounding-fixes --tags",
                    " * [new tag]         v0.10.0 -> v0.10.0",
                ),
            ],
        ),
        Story(
            RB,
            "2025-03-03T18:30:21",
            [
                user("make the dev server start"),
                sh_no(
                    "cd web && npx vite --port 5173 --strictPort",
                    "Exit code 1\nError: Port 5173 is already in use",
                ),
                sh(
                    "cd web && npx vite --port 5199 --strictPort & sleep 2; curl -sI localhost:5199 | head -1",
                    "HTTP/1.1 200 OK",
                ),
                *everyday(RB, 5),
                sh_no(
                    "docker compose up -d db",
                    "Exit code 1\nwrite /var/lib/docker/overlay2/tmp: no space left on device",
                ),
                bot(
                    "The dev server is on 5199. The database container can't start: the disk is full."
                ),
                user("yeah, I know about the disk. good enough"),
            ],
        ),
        Story(
            PT,
            "2025-03-06T11:11:11",
            [
                user("what does the carrier module do, in three sentences?"),
                *everyday(PT, 5),
                look(
                    f"{PT}/src/parcels/carriers.py",
                    "def on_event(event):",
                    "    state = event['state']",
                    "    return {'state': state, 'error_code': event.get('error_code')}",
                ),
                bot(
                    "It turns what a carrier tells us about a parcel into our own states. Unknown "
                    "error codes are passed on as they are. Nothing is stored there."
                ),
            ],
        ),
        Story(
            LL,
            "2025-03-10T09:02:33",
            [
                user("anything uncommitted lying around? and do the tests still pass on main"),
                *everyday(LL, 4),
                sh("git stash list", ""),
                sh("git switch -q main && python -m pytest -q", "61 passed in 1.98s"),
                bot("Only `rates.py` is changed. All 61 tests pass on main."),
            ],
        ),
    ]
