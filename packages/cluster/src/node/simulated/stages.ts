import type { Pod } from '@coxswain/k8s';
import { matchesLabels, parseSelector, type Random, seededRandom } from '@coxswain/runtime/core';
import { matchesPattern, type Pattern } from '../../faults/index.ts';
import type { AnyContainer } from '../runtime.ts';
import type { ContainerBehaviour, PodBehaviour, Stretch } from './behaviour.ts';
import { checkStages } from './check-stages.ts';
import type { Stage, StageDelay, StageMatch, StageProbe } from './stage.ts';

type Matches = (pod: Pod, container: AnyContainer) => boolean;
/** A number from 0 to 1 that is always the same for the same run and purpose. */
type Draw = (purpose: string) => number;

function matcher({ namespace, pod, container, image, node, labels }: StageMatch): Matches {
  const selector = labels === undefined ? undefined : parseSelector(labels);
  const says = (pattern: Pattern | undefined, text: string) => pattern === undefined || matchesPattern(text, pattern);
  return ({ metadata, spec }, { name, image: reference = '' }) =>
    says(namespace, metadata.namespace ?? '') &&
    says(pod, metadata.name) &&
    says(container, name) &&
    says(image, reference) &&
    says(node, spec?.nodeName ?? '') &&
    (selector === undefined || matchesLabels(selector, metadata.labels));
}

/** FNV-1a over UTF-16 units: a seed of what a text says. */
function seedOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return hash >>> 0;
}

function stretchOf({ from = 0, for: length = Number.POSITIVE_INFINITY, every }: StageProbe): Stretch {
  return every === undefined ? [from, from + length] : [from, from + length, every];
}

/** The first of the stages that has a part says what it is. */
type Parts = { -readonly [Part in 'pull' | 'start' | 'exit' | 'stop' | 'probes']?: Stage[Part] };
const partNames = ['pull', 'start', 'exit', 'stop', 'probes'] as const;

function withParts(base: ContainerBehaviour, parts: Parts, draw: Draw): ContainerBehaviour {
  const { pull, start, exit, stop, probes } = parts;
  const time = ({ delay = 0, jitter = 0 }: StageDelay, what: string) => delay + (jitter > 0 ? jitter * draw(what) : 0);
  const common = {
    ...(pull
      ? { pull: { ...base.pull, delay: time(pull, 'pull'), ...(pull.error ? { error: pull.error } : {}) } }
      : {}),
    ...(start ? { startDelay: time(start, 'start'), ...(start.error ? { startError: start.error } : {}) } : {}),
    ...(stop
      ? { stopDelay: time(stop, 'stop'), exitOnSigterm: stop.code ?? 0, ignoresSigterm: stop.deaf ?? false }
      : {}),
    ...(probes
      ? { probes: Object.fromEntries(Object.entries(probes).map(([sort, probe]) => [sort, [stretchOf(probe)]])) }
      : {}),
  };
  if (pull?.error) return { ...base, ...common, kind: 'unpullable' };
  if (!exit) return { ...base, ...common };
  const { code = 0, reason } = exit;
  const end = { kind: 'ends', after: time(exit, 'exit'), exitCode: code, ...(reason ? { reason } : {}) } as const;
  return { ...base, ...common, ...end };
}

/**
 * What containers do by stages, and by `otherwise` where these say nothing.
 * @throws Error that says what is wrong with which stage
 */
export function stagedBehaviour(stages: readonly Stage[], otherwise: PodBehaviour, random: Random): PodBehaviour {
  checkStages(stages);
  const seed = Math.floor(random.next() * 2 ** 32);
  const rules = stages.map((stage, i) => ({ stage, name: String(i), matches: matcher(stage.match ?? {}) }));
  return (pod, container, attempt) => {
    const run = `${pod.metadata.uid}/${container.name}/${attempt}`;
    const draw: Draw = (purpose) => seededRandom(seedOf(`${run}/${purpose}`, seed)).next();
    const base = otherwise(pod, container, attempt);
    const parts: Parts = {};
    let any = false;
    for (const { stage, name, matches } of rules) {
      const { times = Number.POSITIVE_INFINITY, probability = 1 } = stage.when ?? {};
      if (attempt >= times || !matches(pod, container)) continue;
      if (probability < 1 && draw(name) >= probability) continue;
      any = true;
      for (const part of partNames) if (parts[part] === undefined) Object.assign(parts, { [part]: stage[part] });
    }
    return any ? withParts(base, parts, draw) : base;
  };
}
