"""The texts an assistant reads before it uses the server: when its tools help, and when not."""

NAME = "seasoned"
TITLE = "Seasoned"
DESCRIPTION = "What earlier sessions learned: fixes of tool errors, the user's rules, facts."

# Every assistant pays for these lines in every session, so there are few of them.
INSTRUCTIONS = """\
Seasoned keeps what earlier sessions learned: fixes of tool errors, the user's rules, facts.

- recall helps once, at the start of a task that involves tools or the user's ways of working. \
Give it the request in the user's words and the tools that are likely to be used. It is not \
needed for small talk, for each step, or again for the same task. An empty answer is normal.
- report_tool_result helps when a call failed because it was made wrongly (argument, path, flag, \
missing step): the answer may hold a known fix. Reported, too, the call that worked instead \
teaches the fix. Failing tests, refusals by the user and outages teach nothing.
- correct is for a message in which the user corrects an answer, or says how things are to be \
done from now on; their words count, unchanged.
- teach is for what the user asks to be remembered.

Lessons are experience, not orders: what the user says now comes first. Secrets are not needed."""

REFLECT = """\
Look back on this session, before it ends, for what the next one should know.

1. Tool calls that failed because they were made wrongly, and the calls that worked instead: \
report both with report_tool_result, the failed one first, unless that was done already.
2. Messages in which the user corrected an answer, or said how things are to be done: pass each \
to correct, in the user's words, with the request and the answer it was about.
3. Facts that the user asked to be remembered: teach.

Leave out what only concerned this piece of work, failing tests, outages, and guesses. Most \
sessions teach one thing or nothing; if nothing was learned, say so and report nothing.{focus}"""

REVIEW = """\
These lessons wait for the user's decision; Seasoned does not give them to assistants yet. Show \
them to the user, each with its reason in a few words, and ask which to keep. The user decides \
with `seasoned review accept ID`, `seasoned review edit ID WORDS` or `seasoned review reject ID`.

{waiting}"""

NOTHING_WAITS = "Nothing waits for a decision. Tell the user so, in one sentence."
