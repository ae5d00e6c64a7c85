import { type CnStore, workState } from '@coxswain/operator-matrixone/mo';
import { expect, test } from 'vitest';
import { route } from './route.ts';

const node = (uuid: string, labels: Record<string, string[]> = {}, state: number = workState.working) =>
  ({
    uuid,
    workState: state,
    labels: new Map(Object.entries(labels).map(([key, values]) => [key, { labels: values }])),
  }) as unknown as CnStore;

const plain = node('plain');
const own = node('own', { account: ['acc', 'other'] });
const sys = node('sys', { account: ['sys'] });
const typed = node('typed', { type: ['ap'] });
const drained = node('drained', {}, workState.draining);

test.each([
  ['its own', [plain, own, sys], 'acc', 'u', ['own']],
  ['those without labels', [plain, sys, typed, drained], 'acc', 'u', ['plain']],
  ['none', [sys, typed, drained], 'acc', 'u', []],
  ['those of sys', [plain, own, sys, typed], 'sys', 'root', ['sys']],
  ['those labelled otherwise', [plain, own, typed], 'sys', 'u', ['typed']],
  ['none of another account', [own], 'sys', 'u', []],
  ['any that works', [own, drained], 'sys', 'dump', ['own']],
])('a session gets %s', (_, stores, account, user, wanted) => {
  expect(route(stores, account, user).map(({ uuid }) => uuid)).toEqual(wanted);
});
