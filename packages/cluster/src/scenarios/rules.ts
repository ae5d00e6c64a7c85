import type { Track } from './types.ts';

/** Fields that say nothing about behaviour, by the kind (default all) and the path. */
const notFollowed: readonly { readonly kind?: string; readonly path: RegExp; readonly reason: string }[] = [
  {
    kind: 'Pod',
    path: /^status\.(\w*ontainerStatuses\[\w+\]\.)?(resources|allocatedResources)\b/,
    reason: 'What a kubelet reads from cgroups, which says how much memory the machine could have at most.',
  },
  {
    kind: 'Pod',
    path: /^status\.\w+ontainerStatuses\[\w+\]\.user\b/,
    reason: 'As which user a program runs is told by runtimes that know it.',
  },
  {
    kind: 'Node',
    path: /^status\.(capacity|allocatable|images|nodeInfo|addresses|daemonEndpoints|config|features|runtimeHandlers|declaredFeatures|volumes\w+)\b|lastHeartbeatTime$/,
    reason: 'What machine it is, and what is on it.',
  },
  {
    kind: 'EndpointSlice',
    path: /^metadata\.generation$/,
    reason: 'Counts how often it was written, which depends on how many pods changed in the same moment.',
  },
  {
    kind: 'EndpointSlice',
    path: /\bterminating$/,
    reason: 'How many pods are on their way out at the same moment depends on how long they take.',
  },
  {
    kind: 'EndpointSlice',
    path: /last-change-trigger-time$|^endpoints\.named\[.*\]\.serving$/,
    reason: 'Says which changes came together.',
  },
  {
    kind: 'Pod',
    path: /\[PodReadyToStartContainers\]\.reason$/,
    reason: 'The message says it, and more.',
  },
  { path: /\b(claimRef|active\[[^\]]*\])\.resourceVersion$/, reason: 'Of this run only.' },
  { path: /^metadata\.annotations\[?\.?kubectl/, reason: 'What kubectl notes for itself.' },
];

/** Counts of pods in the status of what makes pods. */
const counts =
  /^status\.\w+(Replicas|replicas|Scheduled|Available|Unavailable|Ready|Healthy)$|^status\.(replicas|active|ready)$|^endpoints\./;

/** Whether a field is part of recordings. */
export function isFollowed(kind: string, path: string): boolean {
  return !notFollowed.some((rule) => (rule.kind === undefined || rule.kind === kind) && rule.path.test(path));
}

/** Words that are of the runtime, of the program that ran, or of the network; what is kept says the same. */
const sameWords: readonly {
  readonly path?: RegExp;
  readonly text: RegExp;
  readonly instead: string;
  readonly reason: string;
}[] = [
  {
    path: /\b(imageID|containerID)$/,
    text: /^.+$/,
    instead: '<id>',
    reason: 'Runtimes name what they run, and by which image, as they like.',
  },
  {
    text: /failed to pull and unpack image .*$|image "[^"]*" cannot be pulled: .*$/,
    instead: '<why>',
    reason: 'Why an image cannot be pulled is told by whoever pulls it.',
  },
];

/** Events that say something about the kubelet's own start. */
const notTold: readonly { readonly text: RegExp; readonly reason: string }[] = [
  {
    text: /object ".*" not registered$/,
    reason: 'A kubelet that has just started does not know yet what its pods need.',
  },
];

/** Whether an event is part of recordings. */
export function isTold(text: string): boolean {
  return !notTold.some((rule) => rule.text.test(text));
}

/** A text in the words that both sides use. */
export function wordsOf(path: string, text: string): string {
  return sameWords.reduce(
    (result, rule) =>
      rule.path === undefined || rule.path.test(path) ? result.replace(rule.text, rule.instead) : result,
    text,
  );
}

/**
 * Numbers on their way up or down: how many of the steps between are seen depends on what happens to be ready at the same moment, and
 * on how many changes a controller takes together. Kept are the ends, where the direction changes.
 */
function ends(track: Track): Track {
  return track.filter((value, index) => {
    const before = track[index - 1];
    const after = track[index + 1];
    if (typeof value !== 'number') return true;
    const from = before ?? (index > 0 ? 0 : undefined);
    const to = after === null ? 0 : after;
    if (typeof from !== 'number' || typeof to !== 'number') return true;
    return value === from || Math.sign(value - from) !== Math.sign(to - value);
  });
}

/**
 * How often a count goes up and down while pods are exchanged depends on whether one comes in the same moment as another goes. Kept are the
 * first and the last value, and between them the least and the greatest, which are what a rollout promises.
 */
function extremes(track: Track): Track {
  const numbers = track.map((value) => (typeof value === 'number' ? value : 0));
  if (track.length < 5) return track;
  const least = numbers.indexOf(Math.min(...numbers.slice(1)), 1);
  const greatest = numbers.indexOf(Math.max(...numbers.slice(1)), 1);
  const kept = [0, ...[least, greatest].sort((a, b) => a - b), track.length - 1];
  const values = kept.map((index) => track[index] ?? null);
  return values.filter((value, index) => index === 0 || value !== values[index - 1]);
}

/** How often a kubelet comes round while it waits depends on when it looks. Kept is what it said, each once, and what it said at the end. */
const rounds = /\.state\.waiting\.(reason|message)$/;

function onceEach(track: Track): Track {
  const once = track.filter((value, index) => track.indexOf(value) === index);
  const last = track.at(-1) ?? null;
  return once.at(-1) === last ? once : [...once, last];
}

/**
 * A pod may have its place on the node before anybody looks, and has lost its address before it is gone, or not: what is first of the one and last
 * of the other says nothing.
 */
const place = /\[PodReadyToStartContainers\]\.(status|reason|message)$/;
const placeless = new Set<Track[number]>(['False', 'PodSandboxNotReady', 'no pod sandbox exists']);
const address = /^status\.podIPs?\b/;

function settled(path: string, track: Track): Track {
  if (place.test(path) && track[0] === null && placeless.has(track[1] ?? null)) {
    const rest = [null, ...track.slice(2)];
    return rest.filter((value, index) => index === 0 || value !== rest[index - 1]);
  }
  return address.test(path) && track.at(-1) === null ? track.slice(0, -1) : track;
}

/** The values a field had, without those that only say when somebody looked. */
export function reduced(path: string, track: Track): Track {
  const kept = ends(settled(path, track));
  if (rounds.test(path)) return onceEach(kept);
  return counts.test(path) ? extremes(kept) : kept;
}
