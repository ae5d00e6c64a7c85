import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { forwarder } from './upstream.ts';

test('without a name server, and with one that does not answer, a question fails in time', async () => {
  const clock = new VirtualClock();
  const query = Buffer.alloc(12);
  await expect(forwarder([], clock)(query, false)).rejects.toThrow('this machine has no name server');
  // nobody listens at this address
  const asked = forwarder(['127.0.0.253'], clock)(query, false);
  asked.catch(() => {});
  await clock.advance(2_001);
  await expect(asked).rejects.toThrow('name server 127.0.0.253: no answer within 2s');
  await expect(forwarder(['127.0.0.253'], clock)(query, true)).rejects.toThrow('ECONNREFUSED');
});
