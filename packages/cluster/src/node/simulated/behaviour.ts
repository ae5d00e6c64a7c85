import type { Pod } from '@coxswain/k8s';
import type { AnyContainer } from '../runtime.ts';

/** A stretch of a run, from and until so many milliseconds after its start; again every so many milliseconds, if it is said. */
export type Stretch = readonly [from: number, until: number, every?: number];

interface CommonBehaviour {
  /** Milliseconds that a pull takes, and what is wrong when it fails; or that the image is there, so that none is needed. */
  readonly pull?: { readonly delay?: number; readonly error?: string; readonly there?: boolean };
  /** Milliseconds from the pulled image to the start. */
  readonly startDelay?: number;
  /** The container cannot be started, and why. */
  readonly startError?: string;
  /** Milliseconds it takes to end after it was asked to. */
  readonly stopDelay?: number;
  /** It does not end when it is asked to. */
  readonly ignoresSigterm?: boolean;
  /** Default 0. */
  readonly exitOnSigterm?: number;
  /** Its probes are asked, and fail in these stretches. Absent: its probes are not asked. */
  readonly probes?: Partial<Readonly<Record<'startup' | 'liveness' | 'readiness', readonly Stretch[]>>>;
}

/** What a simulated container does: it runs until it is stopped, ends by itself after `after` milliseconds, or its image cannot be pulled. */
export type ContainerBehaviour = CommonBehaviour &
  (
    | { readonly kind: 'runs' }
    | { readonly kind: 'ends'; readonly after: number; readonly exitCode: number; readonly reason?: string }
    | { readonly kind: 'unpullable' }
  );

/** Decides what a container of a pod does in one of its runs. @param attempt runs of the container before this one, or pulls of its image */
export type PodBehaviour = (pod: Pod, container: AnyContainer, attempt: number) => ContainerBehaviour;

const shell = /(^|\/)(ba|da|a)?sh$/;

/** The words of a command line; `sh -c TEXT` counts as TEXT. */
function commandsOf({ command = [], args = [] }: AnyContainer): readonly (readonly string[])[] {
  const words = [...command, ...args];
  const text = shell.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
  if (text === undefined) return words.length > 0 ? [words] : [];
  return text
    .split(/;|&&|\n/)
    .map((one) => one.trim().split(/\s+/))
    .filter(([first]) => first);
}

/** Seconds of `sleep 5`, `sleep 2m` …; `undefined` for anything else. */
function sleepSeconds(words: readonly string[]): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(words[1] ?? '');
  if (!match) return undefined;
  return Number(match[1]) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[match[2] || 's'] ?? 1);
}

/** Milliseconds a simple command takes, and its exit code; `undefined` when it is not known, or never ends. */
function outcome(words: readonly string[]): { readonly takes: number; readonly exitCode: number } | undefined {
  const name = (words[0] ?? '').replace(/^.*\//, '');
  const at = (exitCode: number) => ({ takes: 0, exitCode });
  const seconds = name === 'sleep' ? sleepSeconds(words) : undefined;
  if (seconds !== undefined) return { takes: seconds * 1000, exitCode: 0 };
  if (name === 'true' || name === 'echo' || name === ':') return at(0);
  if (name === 'false') return at(1);
  return name === 'exit' ? at(Number(words[1] ?? 0) || 0) : undefined;
}

/** Plays a line of simple commands; one that is not known goes on for ever. */
function play(commands: readonly (readonly string[])[]): ContainerBehaviour {
  let after = 0;
  let exitCode = 0;
  for (const words of commands) {
    const result = outcome(words);
    if (!result) return { kind: 'runs' };
    after += result.takes;
    exitCode = result.exitCode;
    if (words[0] === 'exit') break;
  }
  return commands.length > 0 ? { kind: 'ends', after, exitCode } : { kind: 'runs' };
}

/** Images that tests of Kubernetes itself, and ours, take for ones that nobody has. */
const nobodyHas = /(^|\/)invalid\.|:unpullable$|^webserver:404$|^foo:non-existent$|^nginx:404$/;

/** One that the others wait for: it is there to end. */
function isInit({ spec }: Pod, { name }: AnyContainer): boolean {
  return spec?.initContainers?.some((init) => init.name === name && init.restartPolicy !== 'Always') ?? false;
}

/**
 * The default: well-known one-shot commands end as they would, and so do init containers; names under `invalid.` and a few tags cannot be
 * pulled, everything else is taken for a server that runs.
 */
export const defaultBehaviour: PodBehaviour = (pod, container) => {
  if (nobodyHas.test(container.image ?? '')) return { kind: 'unpullable' };
  const commands = commandsOf(container);
  if (commands.length === 0 && isInit(pod, container)) return { kind: 'ends', after: 0, exitCode: 0 };
  return play(commands);
};
