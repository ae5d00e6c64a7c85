import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { ApiError } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, applyMergePatch, applyStrategicPatch, isTree } from '../patch/index.ts';
import { applyPatch } from './apply-patch.ts';
import { trackUpdate } from './track-update.ts';

/**
 * What a real kube-apiserver 1.37.2 stored and answered (recorded by `scripts/record-ownership.ts`), step by step, against what the
 * functions here make of the same stored object and request.
 */
interface RecordedStep {
  readonly op: 'create' | 'update' | 'apply' | 'json' | 'merge' | 'strategic';
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  readonly body: MutableJson;
  readonly live?: DynamicObject;
  readonly code: number;
  readonly stored?: DynamicObject;
  readonly status?: unknown;
}

interface Recording {
  readonly title: string;
  readonly schema?: string;
  readonly crd?: { spec: { versions: { schema: { openAPIV3Schema: SchemaNode } }[] } };
  readonly steps: readonly RecordedStep[];
}

const folder = join(import.meta.dirname, 'fixtures');
const recordings = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording);

function schemaOf({ schema, crd }: Recording): SchemaNode {
  if (schema !== undefined) return { $ref: schema };
  const node = crd?.spec.versions[0]?.schema.openAPIV3Schema;
  if (!node) throw new Error('the recording has no schema');
  return node;
}

/** The newest timestamp is the one of the step, if it touched any. */
function timeOf(stored: DynamicObject | undefined): string {
  const times = (stored?.metadata.managedFields ?? []).map((entry) => entry.time ?? '');
  return times.sort().at(-1) ?? '';
}

function bare(object: DynamicObject): MutableJson {
  const { managedFields: _, ...metadata } = structuredClone(object).metadata;
  return { ...structuredClone(object), metadata };
}

function args(step: RecordedStep) {
  return {
    live: step.live,
    manager: step.manager,
    apiVersion: String(step.live?.apiVersion ?? step.body['apiVersion']),
    subresource: step.subresource ?? '',
    time: timeOf(step.stored),
  };
}

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

/** Refused by the validation of the kind, after the merge: not decided here. */
function refusedByKind({ code, status }: RecordedStep): boolean {
  const details = isTree(status) && isTree(status['details']) ? status['details'] : {};
  return code === 422 && details['causes'] !== undefined;
}

/** What admission and the kind's own rules add after ownership was recorded: nobody owns it. */
const addedLater: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['metadata.finalizers'],
  Job: ['metadata.labels', 'spec.selector', 'spec.template.metadata.labels'],
  Pod: ['spec.priority', 'spec.preemptionPolicy', 'spec.tolerations'],
};

function withoutLater(object: MutableJson): MutableJson {
  for (const path of addedLater[String(object['kind'])] ?? []) {
    const fields = path.split('.');
    const last = fields.pop() ?? '';
    let at: unknown = object;
    for (const field of fields) at = isTree(at) ? at[field] : undefined;
    if (isTree(at)) delete at[last];
  }
  return object;
}

/** The real server lists the problems of a map's fields as its map iterates: in any order. */
function inAnyOrder(status: unknown): unknown {
  if (!isTree(status)) return status;
  const [first, ...lines] = String(status['message']).split('\n');
  return { ...status, message: [first, ...lines.sort()] };
}

/** Everything that the merge produced is in what the server stored (which has defaults and bookkeeping besides). */
function expectWithin(ours: unknown, theirs: unknown, path: string): void {
  if (ours === null || path === '.metadata.managedFields' || path === '.metadata.generation') return;
  if (path === '.metadata.resourceVersion' || path.startsWith('.status')) return;
  if (isTree(ours)) {
    for (const key of Object.keys(ours)) {
      expectWithin(ours[key], isTree(theirs) ? theirs[key] : undefined, `${path}.${key}`);
    }
  } else if (Array.isArray(ours)) {
    expect(theirs, path).toHaveLength(ours.length);
    for (const [i, item] of ours.entries()) expectWithin(item, (theirs as unknown[])[i], `${path}[${i}]`);
  } else expect({ [path]: ours }).toEqual({ [path]: theirs });
}

/** Defaults that come back when their field was removed. */
const redefaulted = ['.spec.replicas', '.spec.strategy', '.spec.template.spec.securityContext'];

/** Nothing that the stored object had and the real server removed is left, and nothing it kept is gone. */
function expectKept(ours: unknown, theirs: unknown, live: unknown, path: string): void {
  if (!isTree(theirs) || !isTree(live) || path === '.metadata' || path === '.status') return;
  for (const key of Object.keys(theirs)) {
    const here = `${path}.${key}`;
    if (redefaulted.includes(here) || live[key] === undefined) continue;
    expect(isTree(ours) ? ours[key] : undefined, here).toBeDefined();
    expectKept(isTree(ours) ? ours[key] : undefined, theirs[key], live[key], here);
  }
}

function patched(schema: SchemaNode, step: RecordedStep): unknown {
  if (step.op === 'json') return applyJsonPatch(step.live, step.body);
  if (step.op === 'merge') return applyMergePatch(step.live, step.body);
  return applyStrategicPatch(schema, step.live, step.body);
}

function checkApply(schema: SchemaNode, step: RecordedStep): void {
  const result = attempt(() => applyPatch(schema, { ...args(step), config: step.body, force: step.force ?? false }));
  if (!step.stored) {
    if (!refusedByKind(step)) expect(inAnyOrder(result)).toEqual(inAnyOrder(step.status));
    return;
  }
  const ours = result as DynamicObject;
  expect(ours.metadata?.managedFields, JSON.stringify(ours)).toEqual(step.stored.metadata.managedFields);
  expectWithin(ours, step.stored, '');
  expectKept(ours, step.stored, step.live, '');
}

function checkWrite(schema: SchemaNode, step: RecordedStep): void {
  const isPatch = step.op === 'json' || step.op === 'merge' || step.op === 'strategic';
  if (isPatch) {
    const result = attempt(() => patched(schema, step));
    if (!step.stored) {
      if (!refusedByKind(step)) expect(result).toEqual(step.status);
    } else if (step.subresource === undefined) {
      expectWithin(result, step.stored, '');
      expectKept(result, step.stored, step.live, '');
    }
  }
  if (!step.stored) return;
  const next = step.op === 'create' ? withoutLater(bare(step.stored)) : bare(step.stored);
  const sent = isTree(step.body['metadata']) ? step.body['metadata']['managedFields'] : undefined;
  if (step.op === 'update' && sent !== undefined && isTree(next['metadata'])) next['metadata']['managedFields'] = sent;
  trackUpdate(schema, { ...args(step), next });
  expect((next as DynamicObject).metadata.managedFields).toEqual(step.stored.metadata.managedFields);
}

describe.each(recordings)('$title', (recording) => {
  const schema = schemaOf(recording);
  it.each(recording.steps.map((step, i) => ({ ...step, n: i + 1 })))('step $n: $op by $manager', (step) => {
    if (step.op === 'apply') checkApply(schema, step);
    else checkWrite(schema, step);
  });
});
