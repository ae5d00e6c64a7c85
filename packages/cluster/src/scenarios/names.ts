import type { Sighting } from './recorder.ts';

/** Letters that random parts of names are made of. */
const suffix = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** What a controller names by a hash or by the time: numbered in the order in which they come. */
const numberedKinds = new Set(['ReplicaSet', 'ControllerRevision', 'Job']);

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b(10|127)\.\d+\.\d+\.\d+\b/g, '<ip>'],
  [/\bnode-[12]\b/g, '<node>'],
  [/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-*'],
];

/** The names that differ from run to run, each with what is said instead. */
export class Names {
  readonly #known: (readonly [string, string])[] = [];
  readonly #namespace: string;

  /** @param sightings in the order in which the objects were first seen */
  constructor(namespace: string, sightings: Iterable<Sighting>) {
    this.#namespace = namespace;
    const counts = new Map<string, number>();
    for (const { kind, states } of sightings) {
      const { name = '', generateName = '', ownerReferences = [] } = states[0]?.metadata ?? {};
      const owner = ownerReferences.find(({ controller }) => controller);
      const random = name.slice(generateName.length);
      if (generateName !== '' && name.startsWith(generateName) && suffix.test(random)) {
        this.#known.push([name, `${generateName}*`]);
      } else if (owner && numberedKinds.has(kind.kind) && name.startsWith(`${owner.name}-`)) {
        const place = `${kind.kind} ${owner.uid}`;
        const count = (counts.get(place) ?? 0) + 1;
        counts.set(place, count);
        this.#known.push([name.slice(owner.name.length + 1), `<${count}>`]);
      }
    }
    // names of pods have hashes inside: the longer ones first
    this.#known.sort(([a], [b]) => b.length - a.length);
  }

  /** A text without what is only of this run. */
  text(text: string): string {
    let result = text;
    for (const [name, instead] of this.#known) result = result.replaceAll(name, instead);
    result = result.replaceAll(this.#namespace, '<ns>');
    for (const [pattern, instead] of patterns) result = result.replaceAll(pattern, instead);
    return result;
  }
}
