import { parseJson, stringifyJson } from '@coxswain/runtime/client';
import { isTree, own, type Tree } from '../patch/index.ts';
import { compareObjects } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { toFieldSet } from './to-field-set.ts';
import { TypeMismatch } from './type-mismatch.ts';
import { mismatchesOf } from './validate.ts';

/** Where client-side `kubectl apply` keeps the configuration it applied last. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations of an object together may have this many bytes. */
const annotationLimit = 256 * 1024;

/**
 * Fields that the last client-side apply set and that still have its values. `kubectl apply --server-side` may take them over without
 * a conflict. `undefined` without a usable annotation.
 */
export function takeoverSet(type: FieldType, live: Tree, apiVersion: string): FieldSet | undefined {
  const text = annotationOf(live);
  if (text === undefined) return undefined;
  try {
    const last: unknown = parseJson(text);
    if (!isTree(last) || last['apiVersion'] !== apiVersion) return undefined;
    if (mismatchesOf(type, last).length > 0) return undefined;
    const { added, modified, removed } = compareObjects(type, last, live);
    return [modified, added, removed].reduce(difference, toFieldSet(type, last));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeMismatch) return undefined;
    throw error;
  }
}

/** Keeps the annotation true after a server-side apply by kubectl, so that one may go back to client-side apply. */
export function refreshLastApplied(result: Tree, config: Tree): void {
  if (annotationOf(result) === undefined) return;
  const metadata = result['metadata'] as Tree;
  const annotations = { ...(metadata['annotations'] as Tree) };
  annotations[lastAppliedAnnotation] = `${stringifyJson(sorted(withoutAnnotation(config)))}\n`;
  if (sizeOf(annotations) > annotationLimit) delete annotations[lastAppliedAnnotation];
  metadata['annotations'] = annotations;
}

function annotationOf(object: Tree): string | undefined {
  const metadata = own(object, 'metadata');
  const annotations = isTree(metadata) ? own(metadata, 'annotations') : undefined;
  const text = isTree(annotations) ? own(annotations, lastAppliedAnnotation) : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function withoutAnnotation(config: Tree): Tree {
  const metadata = own(config, 'metadata');
  if (!isTree(metadata)) return config;
  const { annotations, ...rest } = metadata;
  if (!isTree(annotations)) return config;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  const kept = Object.keys(others).length > 0 ? { annotations: others } : {};
  return { ...config, metadata: { ...rest, ...kept } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function sizeOf(annotations: Tree): number {
  let size = 0;
  for (const key of Object.keys(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key]));
  }
  return size;
}
