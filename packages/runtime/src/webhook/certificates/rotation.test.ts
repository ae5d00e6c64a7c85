import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { seededRandom, VirtualClock } from '../../core/index.ts';
import { createAuthority } from '../../pki/index.ts';
import { type Rotation, rotation } from './rotation.ts';
import { dataOf, readStored, type StoredCertificate } from './stored-certificate.ts';

const hour = 3_600_000;
const times = { lifetime: 10 * hour, renewBefore: 4 * hour, overlap: hour };

function world() {
  const clock = new VirtualClock();
  const parts = { clock, random: seededRandom(3), names: ['hooks.system.svc', '127.0.0.1'], times };
  const next = (stored: StoredCertificate): Rotation => rotation(stored, parts);
  return { clock, parts, next };
}

function storedBy(step: Rotation): StoredCertificate {
  if (step.step === 'keep') throw new Error('nothing was made');
  return readStored(dataOf(step.stored));
}

const serial = (cert: string | undefined) => (cert === undefined ? undefined : new X509Certificate(cert).serialNumber);

test('where there is none, one is made that answers to all names', () => {
  const { clock, next } = world();
  const made = next({ authorities: [] });
  expect(made.step).toBe('replace');
  const { current, authorities } = storedBy(made);
  const certificate = new X509Certificate(current?.cert ?? '');
  expect(certificate.verify(new X509Certificate(authorities[0] ?? '').publicKey)).toBe(true);
  expect([certificate.checkHost('hooks.system.svc'), certificate.checkIP('127.0.0.1')]).toEqual([
    'hooks.system.svc',
    '127.0.0.1',
  ]);
  expect(next(storedBy(made))).toEqual({ step: 'keep', until: clock.now() + 6 * hour });
});

test('its successor is announced, waits until all trust it, and takes over', async () => {
  const { clock, next } = world();
  const first = storedBy(next({ authorities: [] }));
  await clock.advance(6 * hour);
  const announced = next(first);
  expect(announced.step).toBe('announce');
  const both = storedBy(announced);
  expect(serial(both.current?.cert)).toBe(serial(first.current?.cert));
  expect(both.authorities.length).toBe(2);
  expect(both.authorities[1]).toBe(first.authorities[0]);
  expect(next(both)).toEqual({ step: 'keep', until: clock.now() + hour });
  await clock.advance(hour);
  const switched = next(both);
  expect(switched.step).toBe('switch');
  const last = storedBy(switched);
  expect([last.current, last.next]).toEqual([both.next, undefined]);
  expect(last.authorities).toEqual(both.authorities);
});

test('authorities that have ended are not trusted any more', async () => {
  const { clock, next } = world();
  let stored = storedBy(next({ authorities: [] }));
  for (let i = 0; i < 40; i++) {
    await clock.advance(hour);
    const step = next(stored);
    if (step.step !== 'keep') stored = storedBy(step);
    expect(step.step).not.toBe('replace');
    expect(stored.authorities.length).toBeLessThanOrEqual(2);
  }
});

test('one that has ended is replaced at once, by its successor if there is one', async () => {
  const { clock, next } = world();
  const first = storedBy(next({ authorities: [] }));
  await clock.advance(9.5 * hour);
  const both = storedBy(next(first));
  await clock.advance(0.5 * hour);
  expect(next(first).step).toBe('replace');
  expect(storedBy(next(both)).current).toEqual(both.next);
});

test('damage, other names, another key and a stranger make a new one', () => {
  const { clock, parts, next } = world();
  const good = storedBy(next({ authorities: [] }));
  const { cert = '', key = '' } = good.current ?? {};
  const stranger = createAuthority({ clock }).issueServer(parts.names);
  expect(next({ ...good, current: { cert: 'x', key } }).step).toBe('replace');
  expect(next({ ...good, current: { cert, key: stranger.key } }).step).toBe('replace');
  expect(next({ ...good, current: stranger }).step).toBe('replace');
  expect(next({ ...good, authorities: [] }).step).toBe('replace');
  expect(rotation(good, { ...parts, names: ['other.svc'] }).step).toBe('replace');
  expect(next({ ...good, authorities: ['rubbish', ...good.authorities] }).step).toBe('replace');
});

test('entries of others in the Secret stay', () => {
  const { next } = world();
  const data = dataOf(storedBy(next({ authorities: [] })), { other: 'eA==', 'next.crt': 'eA==' });
  expect(Object.keys(data).sort()).toEqual(['ca.crt', 'other', 'tls.crt', 'tls.key']);
});
