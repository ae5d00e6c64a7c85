import type { KubeObject } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { apply, json, merge } from './index.ts';
import { patchEffect, updateEffect } from './write-effect.ts';

interface Config extends KubeObject {
  readonly data?: Readonly<Record<string, unknown>>;
}
const config = (resourceVersion: string, data: object): Config =>
  ({ metadata: { name: 'c', resourceVersion }, data }) as Config;
const seen = config('1', { a: '1', list: ['x'] });
/** Of somebody who wrote meanwhile. */
const answer = config('3', { a: '1', list: ['x'], theirs: 'y' });

describe('the effect of a patch whose answer is of another version', () => {
  it.each([
    ['says what is there', merge({ data: { a: '1', list: ['x'], gone: null } }), false],
    ['changes a value', merge({ data: { a: '2' } }), true],
    ['takes a value away', merge({ data: { a: null } }), true],
    ['replaces a list', merge({ data: { list: ['x', 'y'] } }), true],
    ['puts a map in place of nothing', merge({ spec: {} }), true],
    ['adds what is there', json([{ op: 'add', path: '/data/a', value: '1' }]), false],
    ['adds to a list', json([{ op: 'add', path: '/data/list/-', value: 'x' }]), true],
    ['cannot be told from what was seen', json([{ op: 'remove', path: '/data/theirs' }]), true],
    ['applies', apply({ apiVersion: 'v1', kind: 'ConfigMap', ...config('', { a: '1' }) }), true],
    ['pins the version that is answered', merge({ metadata: { resourceVersion: '3' }, data: { a: '2' } }), false],
    ['pins an older version', merge({ metadata: { resourceVersion: '2' }, data: { a: '1' } }), true],
  ])('%s', (_, patch, expected) => {
    expect(patchEffect(patch)(seen, answer)).toBe(expected);
  });
});

describe('the effect of an update whose answer is of another version', () => {
  it.each([
    ['of a version read elsewhere, which stayed', config('3', { a: '2' }), false],
    ['of a version read elsewhere, which went on', config('2', { a: '1' }), true],
    ['of no version, the same', config('', { a: '1', list: ['x'] }), false],
    ['of no version, another', config('', { a: '2' }), true],
  ])('%s', (_, object, expected) => {
    expect(updateEffect(object)(seen, answer)).toBe(expected);
  });
});
