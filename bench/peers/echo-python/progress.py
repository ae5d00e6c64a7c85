"""Tells on stdout, a line of JSON each, how far the operator is."""

import asyncio
import json
import signal

from kopf._cogs.clients import fetching


class Progress:
    def __init__(self, expect: int):
        self.expect = expect
        self.reconciles = 0
        self.is_synced = False
        # Keys that were reconciled successfully; None once as many were as are expected.
        self.done: set[tuple[str, str]] | None = set()
        self.tell(event="started")

    def answer_signals(self):
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR2, lambda: self.tell(event="stats", reconciles=self.reconciles))

    def tell_when_listed(self, *plurals: str):
        """Kopf keeps to itself when its indices are filled, so its list function is asked."""
        fetch, missing = fetching.fetch_objs, set(plurals)

        async def fetch_objs(*, resource, **rest):
            async for chunk in fetch(resource=resource, **rest):
                yield chunk
            missing.discard(resource.plural)
            if not missing:
                self.synced()

        fetching.fetch_objs = fetch_objs

    def synced(self):
        if self.is_synced:
            return
        self.is_synced = True
        self.tell(event="synced")
        if self.expect == 0:
            self.all()

    def reconciled(self, key: tuple[str, str], ok: bool):
        self.reconciles += 1
        if self.reconciles == 1:
            self.tell(event="first")
        if self.done is None or not ok:
            return
        self.done.add(key)
        if len(self.done) == self.expect:
            self.all()

    def all(self):
        self.done = None
        self.tell(event="all")

    def tell(self, **event):
        print(json.dumps(event), flush=True)
