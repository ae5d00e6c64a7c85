import { describe, expect, it } from 'vitest';
import { fit } from './fit.ts';
import type { TreeNode } from './tree.ts';

function node(label: string, ready: boolean, children: readonly TreeNode[] = []): TreeNode {
  return { label, readiness: { ready, phase: ready ? 'Ready' : 'Pending', reason: '' }, children };
}
const pods = (set: string, count: number, bad = -1) =>
  Array.from({ length: count }, (_, i) => node(`Pod/${set}-${i}`, i !== bad));

const tree = node('Cluster/mo', false, [
  node('Secret/s', true),
  node('LogSet/log', true, [node('StatefulSet/log', true, pods('log', 3))]),
  node('CNSet/tp', false, [node('CloneSet/tp', false, pods('tp', 2, 1))]),
]);

describe('fit', () => {
  it('shows all of it where there is room', () => {
    expect(fit([tree], 20)).toHaveLength(11);
  });

  it('folds what is ready', () => {
    const lines = fit([tree], 8);
    expect(lines).toHaveLength(7);
    expect(lines.join('\n')).toContain('LogSet/log (+4)');
    expect(lines.join('\n')).toContain('○       └─ Pod/tp-1');
  });

  it('leaves out what is ready, and counts it', () => {
    expect(fit([tree], 5).map((line) => line.replace(/ {2,}Pending/, ''))).toEqual([
      '○ Cluster/mo',
      '○ └─ CNSet/tp',
      '○    └─ CloneSet/tp',
      '○       └─ Pod/tp-1',
      '  … 7 more',
    ]);
  });

  it('never takes more than there is', () => {
    for (let rows = 1; rows < 12; rows++) expect(fit([tree], rows).length).toBeLessThanOrEqual(rows);
    expect(fit(pods('p', 9), 3)).toEqual(['● Pod/p-0  Ready', '● Pod/p-1  Ready', '  … 7 more']);
  });
});
