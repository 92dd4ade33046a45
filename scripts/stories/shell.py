"""Sessions of a coding assistant that has nothing but a shell."""

from stories.steps import RNG, Step, Story, bot, user


def coding_on_another_machine() -> list[Story]:
    """The same kind of work in another program: shell calls only."""

    def run(command: str, output: str, code: int = 0) -> Step:
        text = f"Exit code: {code}\nWall time: {RNG.randint(1, 30) / 10} seconds\nOutput:\n{output}"
        params = {"command": ["bash", "-lc", command], "workdir": "/home/dev/orchard"}
        return Step(tool="shell", params=params, **({"error": text} if code else {"result": text}))

    no_rg = "bash: line 1: rg: command not found"
    return [
        Story(
            "/home/dev/orchard",
            "2025-03-04T08:10:00",
            [
                user("where do we build the invoice pdf?"),
                run("rg -n 'invoice.*pdf' orchard", no_rg, 127),
                run(
                    "grep -rn 'invoice.*pdf' orchard",
                    "orchard/billing/pdf.py:12:def invoice_pdf(order):",
                ),
                run(
                    "sed -n '1,30p' orchard/billing/pdf.py",
                    "import weasyprint\n\ndef invoice_pdf(order):",
                ),
                run(
                    "git log --oneline -2 orchard/billing",
                    "aa31c09 Footer on invoices\n5d0be12 PDF",
                ),
                bot("In `orchard/billing/pdf.py`, `invoice_pdf`."),
                user("add the customer number to the footer"),
                run("apply_patch < /tmp/footer.patch", "Done!"),
                run(
                    "python manage.py test billing",
                    "ModuleNotFoundError: No module named 'django'",
                    1,
                ),
                run(".venv/bin/python manage.py test billing", "Ran 14 tests in 1.902s\n\nOK"),
            ],
        ),
        Story(
            "/home/dev/orchard",
            "2025-03-05T10:44:00",
            [
                user("find every place that still uses the old tax rate"),
                run("rg -l '0.19' orchard/tax", no_rg, 127),
                run("ls orchard/tax", "__init__.py\nrates.py\nvat.py"),
                run("grep -rl '0.19' orchard/tax", "orchard/tax/rates.py"),
                run("sed -i 's/0.19/STANDARD_RATE/' orchard/tax/rates.py", ""),
                run("python manage.py check", "ModuleNotFoundError: No module named 'django'", 1),
                run(
                    ".venv/bin/python manage.py check",
                    "System check identified no issues (0 silenced).",
                ),
                run("git diff --stat", " orchard/tax/rates.py | 4 ++--"),
                user("please don't use sed for code, show me the patch first next time"),
                bot("Will do: patches first."),
            ],
        ),
        Story(
            "/home/dev/orchard",
            "2025-03-07T16:05:00",
            [
                user("run the migrations on my local db"),
                run(
                    ".venv/bin/python manage.py migrate",
                    "django.db.utils.OperationalError: connection to server at "
                    '"127.0.0.1", port 5432 failed: Connection refused',
                    1,
                ),
                run("docker compose up -d db", " Container orchard-db-1  Started"),
                run(".venv/bin/python manage.py migrate", "Applying billing.0041_footer... OK"),
                run("rg -n TODO orchard/billing", no_rg, 127),
                run(
                    "grep -rn TODO orchard/billing",
                    "orchard/billing/pdf.py:31:    # TODO page numbers",
                ),
                bot("Migrated. One TODO is left in billing, about page numbers."),
            ],
        ),
    ]
