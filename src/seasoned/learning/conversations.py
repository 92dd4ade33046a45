"""What learns from conversations, joined: due stretches first, then sessions that are over."""

from seasoned.learning.analysis_buffer import AnalysisBuffer
from seasoned.learning.session_learner import SessionLearner


class Conversations:
    def __init__(self, analysis: AnalysisBuffer, sessions: SessionLearner) -> None:
        self.analysis = analysis
        self.sessions = sessions

    def work(self, most: int) -> int:
        """Takes up so many pieces of what waits; how many it did. Runs in the worker's thread."""
        done = self.analysis.work(most)
        return done + self.sessions.work(most - done) if done < most else done
