import type { Transport } from '@coxswain/runtime/client';
import type { Random } from '@coxswain/runtime/core';

/** Loses one in five requests, before or after the server has acted, the same ones for the same seed. Watches are left alone: caches have tests of their own. */
export function unreliable(inner: Transport, random: Random): Transport {
  return {
    async send(request) {
      const chance = random.next();
      if (chance < 0.1) throw new Error('the connection was reset before the request was sent');
      const answer = await inner.send(request);
      if (chance < 0.2) throw new Error('the connection was reset before the answer arrived');
      return answer;
    },
    watch: (request) => inner.watch(request),
    close: () => inner.close(),
  };
}
