import type { KubeObject } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { liveView, type Screen } from './live.ts';
import { buildTree, renderTree } from './tree.ts';

function object(kind: string, name: string, owner?: string, rest: object = {}): KubeObject {
  const ownerReferences = owner
    ? [{ apiVersion: 'x/v1', kind: 'X', name: owner, uid: `uid-${owner}`, controller: true }]
    : [];
  return { apiVersion: 'x/v1', kind, metadata: { name, uid: `uid-${name}`, ownerReferences }, ...rest };
}

const ready = { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Fine', message: '' }] } };
const waiting = {
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'LogServiceNotReady', message: '' }] },
};
const operators = (candidate: KubeObject) => candidate.kind !== 'Pod';

function screen(isTTY: boolean): Screen & { readonly text: string[] } {
  const text: string[] = [];
  return { isTTY, rows: 24, columns: 80, text, write: (line) => void text.push(line) };
}

describe('buildTree', () => {
  const pods = [
    object('Pod', 'p-10', 'set', { status: { phase: 'Running', ...ready.status } }),
    object('Pod', 'p-2', 'set', { status: { phase: 'Pending' } }),
  ];
  const root = object('Cluster', 'mo', undefined, waiting);
  const set = object('LogSet', 'set', 'mo', ready);

  it('puts what is owned below its owner, numbers in order', () => {
    const lines = renderTree(buildTree([root], [set, ...pods], operators));
    expect(lines).toEqual([
      '○ Cluster/mo      NotReady (LogServiceNotReady)',
      '● └─ LogSet/set   Ready',
      '○    ├─ Pod/p-2   Pending',
      '●    └─ Pod/p-10  Ready',
    ]);
  });

  it('shows why a pod does not run', () => {
    const status = { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] };
    const [line] = renderTree(buildTree([object('Pod', 'p', undefined, { status })], [], operators));
    expect(line).toContain('Pending (ImagePullBackOff)');
  });

  it('calls a condition of an older generation not ready', () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Fine', message: '', observedGeneration: 1 }];
    const stale = {
      ...object('LogSet', 'set', undefined, { status: { conditions } }),
      metadata: { name: 'set', generation: 2 },
    };
    const [tree] = buildTree([stale], [], operators);
    expect(tree?.readiness.ready).toBe(false);
  });
});

describe('liveView', () => {
  const picture = (state: object) => buildTree([object('LogSet', 'set', undefined, state)], [], operators);

  it('writes one line per change where there is no terminal', () => {
    const out = screen(false);
    const view = liveView(out, () => '1.0s');
    view.show(picture(waiting));
    view.show(picture(waiting));
    view.show(picture(ready));
    view.show([]);
    expect(out.text).toEqual([
      '1.0s  LogSet/set  NotReady (LogServiceNotReady)\n',
      '1.0s  LogSet/set  Ready\n',
      '1.0s  LogSet/set  gone\n',
    ]);
  });

  it('never draws more or longer lines than the terminal has', () => {
    const out = { ...screen(true), rows: 5, columns: 20 };
    const sets = Array.from({ length: 9 }, (_, i) => object('LogSet', `set-with-a-long-name-${i}`, undefined, ready));
    liveView(out, () => '').show(buildTree(sets, [], operators));
    const lines = (out.text[0] ?? '').replace('\r\u001b[J', '').trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.at(-1)).toBe('  … 7 more');
    for (const line of lines) expect(line.length).toBeLessThan(20);
  });

  it('goes up over lines that a narrower terminal has folded', () => {
    const out = { ...screen(true), columns: 80 };
    const view = liveView(out, () => '');
    view.show(picture(waiting));
    out.columns = 20;
    view.show(picture(ready));
    expect(out.text[1]).toContain('\u001b[3A');
  });

  it('leaves the picture alone once it is settled, and writes changes as lines below', () => {
    const out = { ...screen(true), rows: 4 };
    const view = liveView(out, () => '2.0s');
    const sets = (state: object) =>
      buildTree(
        [1, 2, 3, 4].map((i) => object('LogSet', `s${i}`, undefined, i === 4 ? state : ready)),
        [],
        operators,
      );
    view.show(sets(waiting));
    view.show(sets(ready));
    view.settle('that is all\n');
    view.show(sets(ready));
    view.show(sets(waiting));
    view.settle('ready again\n');
    const whole = [1, 2, 3, 4].map((i) => `● LogSet/s${i}  Ready\n`).join('');
    expect(out.text.slice(2)).toEqual([
      `\u001b[2A\r\u001b[J${whole}that is all\n`,
      '2.0s  LogSet/s4  NotReady (LogServiceNotReady)\n',
      'ready again\n',
    ]);
  });

  it('writes below the lines where there is no terminal', () => {
    const out = screen(false);
    const view = liveView(out, () => '1.0s');
    view.show(picture(ready));
    view.settle('that is all\n');
    expect(out.text).toEqual(['1.0s  LogSet/set  Ready\n', 'that is all\n']);
  });

  it('redraws in place on a terminal', () => {
    const out = screen(true);
    const view = liveView(out, () => '');
    view.show(picture(waiting));
    view.show(picture(ready));
    expect(out.text[0]).not.toContain('\u001b[1A');
    expect(out.text[1]).toContain('\u001b[1A');
  });
});
