import type { Node } from '@coxswain/k8s';
import { readyOf } from './health.ts';

/** Milliseconds between two nodes of a zone that are given up. */
const pace = 10_000;
/** With more than two nodes down, a zone is disturbed when they are this share of it. */
const disturbedShare = 0.55;
/** In a disturbed zone of no more nodes than this none are given up; in larger ones a tenth as many. */
const smallZone = 50;
const excluded = 'node.kubernetes.io/exclude-disruption';

function zoneOf({ metadata }: Node): string {
  const { 'topology.kubernetes.io/region': region = '', 'topology.kubernetes.io/zone': zone = '' } =
    metadata.labels ?? {};
  return `${region}/${zone}`;
}

function restFor(nodes: readonly Node[]): number | undefined {
  const down = nodes.filter((node) => readyOf(node)?.status !== 'True').length;
  const disturbed = down > 2 && down < nodes.length && down / nodes.length >= disturbedShare;
  if (!disturbed) return pace;
  return nodes.length > smallZone ? 10 * pace : undefined;
}

/** Limits how fast nodes are given up: when much goes wrong at once, the cause is rather the network than the nodes. */
export class Zones {
  readonly #last = new Map<string, number>();
  #byZone = new Map<string, readonly Node[]>();

  look(nodes: readonly Node[]): void {
    this.#byZone = Map.groupBy(
      nodes.filter(({ metadata }) => metadata.labels?.[excluded] === undefined),
      zoneOf,
    );
  }

  /** No node at all is ready: then it is us who hear of nobody. */
  get allDown(): boolean {
    const nodes = [...this.#byZone.values()].flat();
    return nodes.length > 0 && nodes.every((node) => readyOf(node)?.status !== 'True');
  }

  /** Whether a node may be given up now; answering yes counts. */
  mayGiveUp(node: Node, now: number): boolean {
    if (this.allDown) return false;
    const zone = zoneOf(node);
    const rest = restFor(this.#byZone.get(zone) ?? []);
    const last = this.#last.get(zone);
    if (rest === undefined || (last !== undefined && now - last < rest)) return false;
    this.#last.set(zone, now);
    return true;
  }
}
