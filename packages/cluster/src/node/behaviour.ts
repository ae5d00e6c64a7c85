import type { Container, Pod } from '@coxswain/k8s';

/**
 * What a simulated container does: it runs until it is stopped, or ends by itself after `after` milliseconds with `exitCode`.
 * `image`: the reason it never starts.
 */
export type ContainerBehaviour =
  | { readonly kind: 'runs' }
  | { readonly kind: 'ends'; readonly after: number; readonly exitCode: number }
  | { readonly kind: 'unpullable' };

/** Decides what the containers of a pod do. */
export type PodBehaviour = (pod: Pod, container: Container) => ContainerBehaviour;

/** The words of a command line; `sh -c TEXT` counts as TEXT, of which the last simple command decides. */
function commandWords(container: Container): string[] {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  const shell = /(^|\/)(ba|da|a)?sh$/.test(words[0] ?? '') && words[1] === '-c';
  if (!shell) return words;
  const last = (words[2] ?? '').split(/;|&&/).at(-1) ?? '';
  return last.trim().split(/\s+/);
}

/** Seconds of `sleep 5`, `sleep 2m` …; `undefined` for anything else. */
function sleepSeconds(words: readonly string[]): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(words[1] ?? '');
  if (!match) return undefined;
  return Number(match[1]) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[match[2] || 's'] ?? 1);
}

/**
 * The default: well-known one-shot commands end as they would, names under `invalid.` and tags `unpullable` cannot be pulled,
 * everything else is taken for a server that runs.
 */
export const defaultBehaviour: PodBehaviour = (_pod, container) => {
  if (/(^|\/)invalid\.|:unpullable$/.test(container.image ?? '')) return { kind: 'unpullable' };
  const words = commandWords(container);
  const seconds = words[0] === 'sleep' ? sleepSeconds(words) : undefined;
  if (seconds !== undefined) return { kind: 'ends', after: seconds * 1000, exitCode: 0 };
  if (words[0] === 'true' || words[0] === '/bin/true' || words[0] === 'echo')
    return { kind: 'ends', after: 0, exitCode: 0 };
  if (words[0] === 'false' || words[0] === '/bin/false') return { kind: 'ends', after: 0, exitCode: 1 };
  if (words[0] === 'exit') return { kind: 'ends', after: 0, exitCode: Number(words[1] ?? 0) || 0 };
  return { kind: 'runs' };
};
