import type { Pod, ProjectedVolumeSource, VolumeProjection } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Clock } from '@coxswain/runtime/core';
import type { FindObject } from '../find-object.ts';
import type { VolumeFile } from '../runtime.ts';
import { downwardFiles } from './downward-files.ts';
import { VolumeError } from './errors.ts';
import { type FileOptions, file, type MakeFiles } from './files.ts';
import { configMapFiles, secretFiles } from './object-files.ts';
import type { PodTokens } from './tokens.ts';
import { trustAnchors } from './trust-bundle.ts';

/** What the volumes of one pod are made with. */
export interface PodSources {
  readonly pod: Pod;
  readonly client: Client;
  readonly clock: Clock;
  readonly find: FindObject;
  readonly tokens: PodTokens;
  /** What the pod's node has. */
  readonly allocatable: () => Promise<Readonly<Record<string, string>>>;
  /** Told when, in milliseconds since the epoch, what was made has to be made anew. */
  readonly renewAt: (time: number) => void;
}

/** Bundles of trust are looked at again after so many milliseconds: too few pods have them to watch all bundles. */
const bundleInterval = 60_000;
const encoder = new TextEncoder();

function tokenFile(
  { pod, tokens, renewAt }: PodSources,
  projection: NonNullable<VolumeProjection['serviceAccountToken']>,
  options: FileOptions,
): MakeFiles {
  // The token of a pod whose files belong to a group is that group's to read, and nobody else's.
  const mode = options.groupReads ? 0o600 : undefined;
  return async () => {
    const token = await tokens.get(pod, projection);
    renewAt(token.renewAt);
    return new Map([[projection.path, file(encoder.encode(token.token), mode, options)]]);
  };
}

async function sourceFiles(sources: PodSources, source: VolumeProjection, options: FileOptions): Promise<MakeFiles> {
  const { pod, find, client, clock, allocatable, renewAt } = sources;
  const namespace = pod.metadata.namespace ?? '';
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = source;
  if (secret) return secretFiles(find, namespace, secret, options);
  if (configMap) return configMapFiles(find, namespace, configMap, options);
  if (downwardAPI) return downwardFiles(pod, downwardAPI.items, allocatable, options);
  if (serviceAccountToken) return tokenFile(sources, serviceAccountToken, options);
  if (clusterTrustBundle) {
    const bytes = encoder.encode(await trustAnchors(client, clusterTrustBundle));
    renewAt(clock.now() + bundleInterval);
    return () => new Map([[clusterTrustBundle.path, file(bytes, undefined, options)]]);
  }
  throw new VolumeError('nobody signs certificates of pods here: use a Secret with a certificate instead');
}

/** All sources of a projected volume in one; of files of the same path the later one counts. @throws VolumeError naming all that is missing */
export async function projectedFiles(
  sources: PodSources,
  volume: ProjectedVolumeSource,
  options: FileOptions,
): Promise<MakeFiles> {
  const parts: MakeFiles[] = [];
  const problems: string[] = [];
  for (const source of volume.sources ?? []) {
    try {
      parts.push(await sourceFiles(sources, source, options));
    } catch (error) {
      if (!(error instanceof VolumeError)) throw error;
      if (!problems.includes(error.message)) problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new VolumeError(problems.length > 1 ? `[${problems.join(', ')}]` : problems.join());
  return async () => {
    const files = new Map<string, VolumeFile>();
    for (const make of parts) for (const [path, made] of await make()) files.set(path, made);
    return files;
  };
}
