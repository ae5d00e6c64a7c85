import { Event, type KubeObject, Pod } from '@coxswain/k8s';
import { leavesOf } from './flatten.ts';
import { Names } from './names.ts';
import type { Recorder, Sighting } from './recorder.ts';
import { isFollowed, isTold, reduced, wordsOf } from './rules.ts';
import type { Course, Recording, Track, Tracks } from './types.ts';

type Value = Track[number];

/** The courses of all fields of an object. */
function tracksOf({ kind, states, gone }: Sighting, names: Names): Tracks {
  const tracks = new Map<string, Value[]>();
  for (const [index, state] of states.entries()) {
    const leaves = new Map<string, Value>();
    for (const [path, value] of leavesOf(state)) {
      const shown = names.text(path);
      if (isFollowed(kind.kind, shown))
        leaves.set(shown, typeof value === 'string' ? wordsOf(shown, names.text(value)) : value);
    }
    for (const path of leaves.keys()) if (!tracks.has(path)) tracks.set(path, index === 0 ? [] : [null]);
    for (const [path, track] of tracks) {
      const value = leaves.get(path) ?? null;
      if (track.length === 0 || track.at(-1) !== value) track.push(value);
    }
  }
  const entries = [...tracks].map(([path, track]) => [path, reduced(path, track)] as const);
  if (gone) entries.push(['gone', [true]]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function coursesOf(recorder: Recorder, names: Names): Record<string, readonly Course[]> {
  const groups = new Map<string, Map<string, Course>>();
  for (const sighting of recorder.sightings.values()) {
    if (sighting.kind.kind === Event.kind) continue;
    const key = `${sighting.kind.kind} ${names.text(sighting.states[0]?.metadata.name ?? '')}`;
    const tracks = tracksOf(sighting, names);
    const text = JSON.stringify(tracks);
    const group = groups.get(key) ?? new Map<string, Course>();
    groups.set(key, group.set(text, { count: (group.get(text)?.count ?? 0) + 1, tracks }));
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, group]) => [key, [...group].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, course]) => course)]),
  );
}

/** What was told about objects; how often is a question of time. */
function eventsOf(recorder: Recorder, names: Names): readonly string[] {
  const texts = [...recorder.sightings.values()]
    .filter(({ kind }) => kind.kind === Event.kind)
    .map(({ states }) => {
      const event = states.at(-1) as Event | undefined;
      const { type = '', reason = '', regarding, note = '', reportingController, deprecatedSource } = event ?? {};
      const source = reportingController || deprecatedSource?.component || '';
      const about = `${regarding?.kind} ${regarding?.name}${regarding?.fieldPath ? ` ${regarding.fieldPath}` : ''}`;
      return wordsOf('event', names.text(`${type} ${reason} (${source}) ${about}: ${note}`));
    });
  return [...new Set(texts.filter(isTold))].sort();
}

function isReady(object: KubeObject): boolean {
  const { conditions = [] } = (object as Pod).status ?? {};
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** In which order pods were made, became ready, were asked to go, and went. */
function orderOf(recorder: Recorder, names: Names): readonly string[] {
  const order: string[] = [];
  const last = new Map<string, string>();
  for (const { kind, type, object } of recorder.seen) {
    if (kind.kind !== Pod.kind) continue;
    const { uid = '', name, deletionTimestamp } = object.metadata;
    const state =
      type === 'DELETED' ? 'is gone' : deletionTimestamp ? 'is to go' : isReady(object) ? 'is ready' : 'is not ready';
    if (last.get(uid) === state) continue;
    order.push(`${names.text(name)} ${last.has(uid) ? state : 'is there'}`);
    last.set(uid, state);
  }
  return order;
}

/** What was seen, without what differs from run to run. */
export function recordingOf(
  recorder: Recorder,
  namespace: string,
  options: { readonly ordered: boolean; readonly notes: readonly string[] },
): Recording {
  const names = new Names(namespace, recorder.sightings.values());
  return {
    objects: coursesOf(recorder, names),
    events: eventsOf(recorder, names),
    order: options.ordered ? orderOf(recorder, names) : [],
    notes: options.notes.map((note) => names.text(note)),
  };
}
