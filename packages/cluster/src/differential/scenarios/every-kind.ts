import { definitionName } from '../../apiserver/builtin/index.ts';
import { del, get, mergePatch, object, post, put } from '../build.ts';
import type { Area, Scenario, Step } from '../types.ts';
import { autoscalerVersions } from './autoscalers.ts';
import { everyKind, type ServedKind } from './every-kind-bodies.ts';
import { hollow, withNulls } from './hollow.ts';

type Body = Readonly<Record<string, unknown>>;

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'owner-uid' };
const marked = { metadata: { labels: { 'd.example/set': 'every' } } };
const noFinalizers = { metadata: { finalizers: null } };
const deletion = (propagationPolicy: string) => ({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy });

/** One kind with its paths and with bodies of given names. */
export class Subject {
  readonly all: string;
  readonly #kind: ServedKind;

  constructor(kind: ServedKind) {
    this.#kind = kind;
    const { apiVersion, plural, namespaced } = kind;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    this.all = namespaced ? `${root}/namespaces/{ns}/${plural}` : `${root}/${plural}`;
  }

  #name(word: string): string {
    return this.#kind.named?.(word) ?? `every-${word}`;
  }

  one(word: string): string {
    return `${this.all}/${this.#name(word)}`;
  }

  body(word: string, more: Body): Body {
    const own = JSON.parse(JSON.stringify(more).replaceAll('$word', word)) as Body;
    return object(this.#kind.apiVersion, this.#kind.kind, this.#name(word), own);
  }

  definition(): string {
    const [group = '', version = ''] = this.#kind.apiVersion.includes('/')
      ? this.#kind.apiVersion.split('/')
      : ['', this.#kind.apiVersion];
    return definitionName(group, version, this.#kind.kind);
  }
}

function creations(subject: Subject, { minimal, rich, status }: ServedKind): Step[] {
  const withStatus = status ? { status } : {};
  const meagre = { metadata: {}, ...minimal };
  return [
    post(subject.all, subject.body('little', { ...minimal, ...withStatus }), { save: { little: '' } }),
    get(subject.one('little')),
    post(
      subject.all,
      hollow(subject.body('hollow', status ? { ...meagre, status: {} } : meagre), subject.definition()),
      {
        note: 'empty lists and maps',
      },
    ),
    post(subject.all, withNulls(subject.body('nulls', meagre), subject.definition()), { note: 'nulls' }),
    post(subject.all, subject.body('much', { ...rich, ...withStatus }), { save: { much: '' } }),
  ];
}

function updates(subject: Subject, { minimal, status, change = {} }: ServedKind): Step[] {
  const much = subject.one('much');
  const annotated = (put: string) => ({ metadata: { annotations: { put } } });
  return [
    put(much, { metadata: { resourceVersion: null, annotations: { put: 'free' } } }, { base: 'much' }),
    put(much, annotated('stale'), { base: 'much' }),
    put(subject.one('absent'), subject.body('absent', minimal)),
    put(subject.one('gone'), subject.body('gone', { ...minimal, metadata: { resourceVersion: '7' } })),
    get(much, { save: { much: '' } }),
    put(
      much,
      { metadata: { labels: { a: 'b' }, finalizers: ['a.example/f'], ownerReferences: [owner] } },
      { base: 'much', save: { much: '' } },
    ),
    put(much, change, { base: 'much', save: { much: '' } }),
    mergePatch(much, { metadata: { labels: {}, annotations: null }, ...(status ? { status } : {}) }),
  ];
}

function statusWrites(subject: Subject, { status, change = {} }: ServedKind): Step[] {
  if (!status) return [get(`${subject.one('much')}/status`)];
  const at = `${subject.one('much')}/status`;
  const meta = { labels: { at: 'status' }, annotations: { at: 'status' }, finalizers: ['b.example/g'] };
  return [
    get(at, { save: { at: '' } }),
    put(at, { ...change, metadata: { ...meta, ownerReferences: [] }, status }, { base: 'at' }),
    put(at, { status }, { base: 'at' }),
    mergePatch(at, { ...change, metadata: { labels: { by: 'patch' } }, status }),
    mergePatch(at, { metadata: { finalizers: ['b.example/g'] }, status: null }),
    mergePatch(at, { status }),
    get(subject.one('much')),
  ];
}

function deletions(subject: Subject, { rich }: ServedKind): Step[] {
  const [much, little, empty, nulls] = ['much', 'little', 'hollow', 'nulls'].map((word) => subject.one(word));
  const set = `${subject.all}?labelSelector=d.example/set%3Devery`;
  const [first, second] = ['first', 'second'].map((word) => subject.body(word, { ...rich, ...marked }));
  return [
    del(String(much)),
    get(String(much)),
    mergePatch(String(much), noFinalizers),
    get(String(much)),
    del(String(little), deletion('Foreground')),
    mergePatch(String(little), noFinalizers),
    del(String(empty), deletion('Orphan')),
    mergePatch(String(empty), noFinalizers),
    del(String(nulls)),
    get(String(nulls)),
    post(subject.all, first),
    post(subject.all, second),
    del(set),
    get(set),
  ];
}

function lifeOf(kind: ServedKind): Scenario {
  const subject = new Subject(kind);
  return {
    title: `${kind.kind} (${kind.apiVersion})`,
    steps: [creations, updates, statusWrites, deletions].flatMap((part) => part(subject, kind)),
  };
}

/** Every built-in kind with little, with much, with empty fields and with nulls, from its creation to its end. */
export const everyKindArea: Area = { name: 'every-kind', scenarios: [...everyKind.map(lifeOf), autoscalerVersions] };
