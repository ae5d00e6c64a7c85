import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heldStores, type RollingStore } from './log-rollout.ts';

const states: Readonly<Record<string, RollingStore>> = {
  old: { isThere: true, isUpdated: false, isReady: true, isBack: true, isNeeded: () => false },
  oldNeeded: { isThere: true, isUpdated: false, isReady: true, isBack: true, isNeeded: () => true },
  oldAway: { isThere: true, isUpdated: false, isReady: true, isBack: false, isNeeded: () => false },
  oldSick: { isThere: true, isUpdated: false, isReady: false, isBack: false, isNeeded: () => true },
  gone: { isThere: false, isUpdated: false, isReady: false, isBack: false, isNeeded: () => false },
  new: { isThere: true, isUpdated: true, isReady: true, isBack: true, isNeeded: () => true },
  newAway: { isThere: true, isUpdated: true, isReady: true, isBack: false, isNeeded: () => false },
  newSick: { isThere: true, isUpdated: true, isReady: false, isBack: false, isNeeded: () => false },
};

test.each([
  ['all well: the highest goes', 'old old old', 2],
  ['it is ready, and not back: no other goes', 'old old newAway', 2],
  ['it is not ready: no other goes', 'old old newSick', 2],
  ['it is back: the next goes', 'old old new', 1],
  ['another has no replicas yet, as HAKeeper has not moved them: none goes', 'old oldNeeded new', 2],
  ['the last one', 'old new new', 0],
  ['over, whether all are back or not', 'new newAway new', 0],
  ['one that is not next is away: none goes', 'oldAway old old', 3],
  ['the first of an earlier rollout did not come back: another template may be the cure', 'old old oldAway', 2],
  ['two do not run: the first of them costs nothing', 'old oldSick oldSick', 2],
  ['and the second costs nothing either', 'old oldSick newSick', 1],
  ['the next is being made: it comes as it was', 'old gone newAway', 2],
  ['a set that starts from nothing starts with the newest', 'gone gone gone', 0],
])('%s: %s', (_, line, held) => {
  expect(heldStores(line.split(' ').map((name) => states[name] as RollingStore))).toBe(held);
});

test('no store that is back is let go while another is not', () => {
  const any = fc.array(fc.constantFrom(...Object.values(states)), { minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(any, (stores) => {
      if (!stores.some(({ isThere }) => isThere)) return;
      const held = heldStores(stores);
      const goes = stores.slice(held).filter(({ isUpdated, isBack }) => !isUpdated && isBack);
      const missed = stores.filter(({ isBack }) => !isBack);
      expect(goes.filter(({ isNeeded }) => isNeeded())).toEqual([]);
      expect(goes.length + missed.length).toBeLessThanOrEqual(Math.max(1, missed.length));
    }),
  );
});
