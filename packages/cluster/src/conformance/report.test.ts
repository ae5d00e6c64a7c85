import { expect, test } from 'vitest';
import { resultsOf } from './report.ts';

const spec = (text: string, state: string, more: object = {}) => ({
  ContainerHierarchyTexts: ['[sig-a] Things', 'should'],
  LeafNodeText: text,
  LeafNodeType: 'It',
  State: state,
  RunTime: 1_500_000_000,
  ...more,
});

test('tests that ran, by name, with the first line of what went wrong', () => {
  const suite = {
    SpecReports: [
      spec('work [Conformance]', 'passed'),
      spec('be skipped', 'skipped'),
      spec('fail', 'failed', { Failure: { Message: 'timed out\nExpected\n  <int>: 1' } }),
      spec('hang', 'timedout', { Failure: { Message: 'A suite timeout occurred' } }),
      { ...spec('', 'passed'), LeafNodeType: 'SynchronizedBeforeSuite', ContainerHierarchyTexts: null },
    ],
  };
  expect(resultsOf(JSON.stringify([suite, { SpecReports: null }]))).toEqual([
    { name: '[sig-a] Things should fail', passed: false, seconds: 1.5, message: 'timed out' },
    { name: '[sig-a] Things should hang', passed: false, seconds: 1.5, message: 'A suite timeout occurred' },
    { name: '[sig-a] Things should work [Conformance]', passed: true, seconds: 1.5 },
  ]);
});
