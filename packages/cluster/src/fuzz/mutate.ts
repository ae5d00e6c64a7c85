import type { Random } from '@coxswain/runtime/core';
import type { Sample } from './corpus.ts';
import { chance, pick, upTo } from './draw.ts';
import { mutateJson } from './mutate-json.ts';
import { mutateText } from './mutate-text.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'];
const types = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/cbor',
  'text/plain',
  'application/json;charset=latin1',
  '',
  ';;;',
];
const accepts = [
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,*/*;q=0',
  'application/json;stream=watch',
  ',,,;q=x',
];
const parameters: Readonly<Record<string, readonly string[]>> = {
  labelSelector: ['a=b', 'a in (b,c),!d', 'a notin ()', 'a=b=c', '==', 'x'.repeat(400)],
  fieldSelector: ['metadata.name=a', 'status.phase!=Running', 'nothing=1', 'metadata.name in (a)', ','],
  resourceVersion: ['0', '1', 'x', '-1', '18446744073709551616', '00'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'Maybe'],
  limit: ['1', '0', '-1', '9'.repeat(30), 'x'],
  continue: ['x', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0', '%', '{}'],
  timeoutSeconds: ['1', '0', '-1', 'x'],
  timeout: ['1s', '0', '-5m', 'x'],
  watch: ['true', '1', 'maybe'],
  sendInitialEvents: ['true', 'false', 'x'],
  allowWatchBookmarks: ['true', 'x'],
  dryRun: ['All', 'None', ''],
  fieldManager: ['m', '', 'x'.repeat(200), '\u0007'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  force: ['true', 'x'],
  pretty: ['true', 'x'],
  propagationPolicy: ['Foreground', 'Orphan', 'x'],
  gracePeriodSeconds: ['0', '-1', 'x', '9'.repeat(30)],
  orphanDependents: ['true', 'x'],
  includeObject: ['None', 'Object', 'x'],
  command: ['sh', ''],
  container: ['main', '../x'],
  ports: ['80', 'x', '70000'],
};

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function mutateBytes(body: Buffer, other: Buffer, random: Random): Buffer {
  const at = upTo(body.length + 1, random);
  const end = Math.min(body.length, at + upTo(40, random));
  const moves: (() => Buffer)[] = [
    () => Buffer.concat([body.subarray(0, at), Buffer.from([upTo(256, random)]), body.subarray(at + 1)]),
    () => Buffer.concat([body.subarray(0, at), body.subarray(end)]),
    () => Buffer.concat([body.subarray(0, end), body.subarray(at)]),
    () => body.subarray(0, at),
    () => Buffer.concat([body.subarray(0, at), other.subarray(upTo(other.length + 1, random))]),
    () => Buffer.concat([body.subarray(0, at), Buffer.alloc(upTo(2_000, random), 0x5b), body.subarray(at)]),
  ];
  return pick(moves, random)();
}

function mutateBody(body: Buffer, other: Buffer, random: Random): Buffer {
  const value = chance(0.75, random) ? parsed(body) : undefined;
  if (value === undefined) return mutateBytes(body, other, random);
  const text = JSON.stringify(mutateJson(value, parsed(other), random));
  return Buffer.from(text ?? '');
}

function withParameter(path: string, random: Random): string {
  const name = pick(Object.keys(parameters), random);
  const value = pick(parameters[name] ?? [], random);
  const text = chance(0.3, random) ? mutateText(value, random) : value;
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(text.toWellFormed())}`;
}

function mutatePath(path: string, other: string, random: Random): string {
  const parts = path.split('/');
  const at = upTo(parts.length, random);
  const moves: (() => string)[] = [
    () => parts.toSpliced(at, 1).join('/'),
    () => parts.toSpliced(at, 0, pick(other.split('/'), random)).join('/'),
    () => parts.with(at, mutateText(parts[at] ?? '', random)).join('/'),
    () => `${path}/${pick(['status', 'scale', 'log', 'exec', 'proxy', 'finalize', 'x', ''], random)}`,
    () => `/${pick(['api', 'apis', 'openapi/v3', 'version', 'healthz'], random)}${path}`,
  ];
  return pick(moves, random)();
}

/** What a request line may hold. */
function sendable(path: string): string {
  const text = path.startsWith('/') ? path : `/${path}`;
  return text
    .toWellFormed()
    .replaceAll(/[^!-~]/gu, (character) => encodeURIComponent(character))
    .slice(0, 6_000);
}

/** A request made of one of the corpus, changed in one to five places. */
export function mutate(samples: readonly Sample[], random: Random): Sample {
  let sample: Sample = pick(samples, random);
  for (let changes = 1 + upTo(5, random); changes > 0; changes--) {
    const other = pick(samples, random);
    const { body } = sample;
    const draw = random.next();
    if (draw < 0.6 && body) sample = { ...sample, body: mutateBody(body, other.body ?? Buffer.from('x'), random) };
    else if (draw < 0.7) sample = { ...sample, path: withParameter(sample.path, random) };
    else if (draw < 0.8) sample = { ...sample, path: mutatePath(sample.path, other.path, random) };
    else if (draw < 0.86) sample = { ...sample, path: other.path, method: other.method };
    else if (draw < 0.9) sample = { ...sample, method: pick(methods, random) };
    else if (draw < 0.95) sample = { ...sample, contentType: pick(types, random) };
    else sample = { ...sample, accept: pick(accepts, random) };
  }
  return { ...sample, path: sendable(sample.path) };
}
