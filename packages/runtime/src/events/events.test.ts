import { describe, expect, it } from 'vitest';
import { forbidden, seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { createRecorder, eventKind, type RecordedEvent } from './index.ts';

function setUp() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const reporter = { controller: 'test.dev/widgets', instance: 'test-1' };
  const recorder = createRecorder({ client, clock, random: seededRandom(1), log: silentLogger, reporter });
  const list = async () => (await client.of(eventKind).list({ namespace: 'default' })).items as RecordedEvent[];
  return { clock, api, recorder, list };
}

const object = { ...widget('w'), metadata: { name: 'w', namespace: 'default', uid: 'u1', resourceVersion: '7' } };

describe('event recorder', () => {
  it('writes an event with all that the API asks for', async () => {
    const { recorder, list } = setUp();
    recorder.event(Widget, object, { reason: 'Made', message: 'made it' });
    await recorder.flush();
    const [event] = await list();
    expect(event).toMatchObject({
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'test.dev/widgets',
      reportingInstance: 'test-1',
      action: 'Made',
      reason: 'Made',
      type: 'Normal',
      note: 'made it',
      regarding: { apiVersion: 'test.dev/v1', kind: 'Widget', namespace: 'default', name: 'w', uid: 'u1' },
    });
    expect(event?.metadata.name).toMatch(/^w\.[0-9a-f]+$/);
    expect(event?.series).toBeUndefined();
  });

  it('counts a repeated event as a series with few writes', async () => {
    const { clock, api, recorder, list } = setUp();
    for (let i = 0; i < 300; i++) {
      recorder.event(Widget, object, { type: 'Warning', reason: 'Fail', message: 'no', action: 'Reconcile' });
      await clock.advance(1_000);
    }
    await recorder.flush();
    expect(await list()).toMatchObject([
      { type: 'Warning', series: { count: 300, lastObservedTime: '2026-01-01T00:04:59.000000Z' } },
    ]);
    expect(api.writes.length).toBeLessThan(10);
  });

  it('starts a new event when the series has been quiet for six minutes', async () => {
    const { clock, recorder, list } = setUp();
    recorder.event(Widget, object, { reason: 'Fail', message: 'no' });
    await clock.advance(360_000);
    recorder.event(Widget, object, { reason: 'Fail', message: 'no' });
    await recorder.flush();
    expect(await list()).toHaveLength(2);
  });

  it('keeps an object within its budget, which refills', async () => {
    const { clock, recorder, list } = setUp();
    for (let i = 0; i < 100; i++) recorder.event(Widget, object, { reason: 'Odd', message: `no ${i}` });
    await recorder.flush();
    expect(await list()).toHaveLength(25);
    await clock.advance(300_000);
    recorder.event(Widget, object, { reason: 'Odd', message: 'again' });
    await recorder.flush();
    expect(await list()).toHaveLength(26);
  });

  it('never fails the caller, and loses only the event that could not be written', async () => {
    const { api, recorder, list } = setUp();
    let broken = true;
    api.intercept = ({ method }) => {
      if (broken && method === 'POST') throw forbidden(eventKind, 'x', 'namespace is being terminated');
    };
    recorder.event(Widget, object, { reason: 'A', message: 'a' });
    await recorder.flush();
    broken = false;
    recorder.event(Widget, object, { reason: 'B', message: 'b' });
    await recorder.stop();
    recorder.event(Widget, object, { reason: 'C', message: 'c' });
    await recorder.flush();
    expect((await list()).map(({ reason }) => reason)).toEqual(['B']);
  });

  it('writes a series anew when the server has expired its event', async () => {
    const { api, recorder, list } = setUp();
    recorder.event(Widget, object, { reason: 'A', message: 'a' });
    await recorder.flush();
    const [first] = await list();
    await api
      .client()
      .of(eventKind)
      .delete({ namespace: 'default', name: first?.metadata.name ?? '' });
    recorder.event(Widget, object, { reason: 'A', message: 'a' });
    await recorder.flush();
    expect(await list()).toMatchObject([{ reason: 'A', series: { count: 2 } }]);
  });

  it('cuts long notes at 1024 bytes, not inside a character', async () => {
    const { recorder, list } = setUp();
    recorder.event(Widget, object, { reason: 'A', message: '日本'.repeat(400) });
    await recorder.flush();
    const [event] = await list();
    expect(Buffer.byteLength(event?.note ?? '')).toBeLessThanOrEqual(1024);
    expect(event?.note).toMatch(/^[日本]+…$/);
  });
});
