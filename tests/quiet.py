"""A progress that says nothing and counts what it is told."""


class Quiet:
    def __init__(self):
        self.counts = [0, 0]

    def cached(self, prompts):
        self.counts[0] += prompts

    def asked(self, outcomes, _usage):
        self.counts[1] += len(outcomes)

    def too_long(self, prompts):
        self.counts[0] += prompts

    def waiting(self, usage):
        pass

    def say(self, text):
        pass
