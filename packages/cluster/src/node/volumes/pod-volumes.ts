import { Node, type Pod, type Volume } from '@coxswain/k8s';
import type { Cache } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger } from '@coxswain/runtime/core';
import { claimNameOf } from '../../controllers/volume/index.ts';
import { FieldError } from '../downward/index.ts';
import { objectFinder } from '../find-object.ts';
import type { VolumeContent } from '../runtime.ts';
import { claimContent } from './claim.ts';
import { downwardFiles } from './downward-files.ts';
import { VolumeError } from './errors.ts';
import { defaultFileMode, type FileOptions, type MakeFiles } from './files.ts';
import { configMapFiles, secretFiles } from './object-files.ts';
import { plainContent } from './plain.ts';
import { type PodSources, projectedFiles } from './projected-files.ts';
import { PodTokens } from './tokens.ts';

/** Why a pod cannot start yet: the text of its `FailedMount` event. */
export interface VolumeProblem {
  /** Name of the volume in the pod. */
  readonly volume: string;
  readonly message: string;
}

/** The volumes of a pod as they are to be now, or what is missing for some of them. */
export interface VolumeResolution {
  /** By their names; those that have no problem. */
  readonly contents: ReadonlyMap<string, VolumeContent>;
  readonly problems: readonly VolumeProblem[];
  /** When to ask again although nothing has changed, because a token runs out; milliseconds since the epoch. */
  readonly renewAt: number | undefined;
}

export interface PodVolumesOptions {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Every pod has this one, and gets it by the namespace; a node that runs no programs need not wait for it. */
const tokenVolume = /^kube-api-access-/;

/** Finds out what the volumes of pods are made of. Keeps the tokens of pods until it is told to forget them. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #tokens: PodTokens;

  constructor(options: PodVolumesOptions) {
    this.#options = options;
    this.#tokens = new PodTokens(options);
  }

  /** Everything, contents included. To be asked again when something the pod depends on changes. */
  async resolve(pod: Pod): Promise<VolumeResolution> {
    const contents = new Map<string, VolumeContent>();
    const problems: VolumeProblem[] = [];
    let renewAt: number | undefined;
    const sources = this.#sources(pod, (time) => {
      renewAt = Math.min(renewAt ?? time, time);
    });
    for (const volume of pod.spec?.volumes ?? [])
      await collect(problems, pod, volume, async () => {
        contents.set(volume.name, await (await prepare(sources, volume))());
      });
    return { contents, problems, renewAt };
  }

  /** Only what is missing: for nodes whose containers read no files. */
  async problems(pod: Pod): Promise<readonly VolumeProblem[]> {
    const problems: VolumeProblem[] = [];
    const wanted = (pod.spec?.volumes ?? []).filter(({ name }) => !tokenVolume.test(name));
    if (wanted.length === 0) return problems;
    const sources = this.#sources(pod, () => {});
    for (const volume of wanted) await collect(problems, pod, volume, () => prepare(sources, volume));
    return problems;
  }

  /** The pod is gone. @param uid of the pod */
  forget(uid: string): void {
    this.#tokens.forget(uid);
  }

  #sources(pod: Pod, renewAt: (time: number) => void): PodSources {
    const { client, clock } = this.#options;
    const find = objectFinder(this.#options);
    const allocatable = async () => (await find(Node, { name: pod.spec?.nodeName ?? '' }))?.status?.allocatable ?? {};
    return { pod, client, clock, find, tokens: this.#tokens, allocatable, renewAt };
  }
}

async function collect(
  problems: VolumeProblem[],
  pod: Pod,
  volume: Volume,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof VolumeError) && !(error instanceof FieldError)) throw error;
    const { name } = volume;
    const message =
      claimNameOf(pod, volume) !== undefined
        ? `Unable to attach or mount volumes: unmounted volumes=[${name}], unattached volumes=[], failed to process volumes=[${name}]: ${error.message}`
        : `MountVolume.SetUp failed for volume "${name}" : ${error.message}`;
    problems.push({ volume: name, message });
  }
}

/** Looks everything up that a volume needs; what it answers makes the content. */
async function prepare(sources: PodSources, volume: Volume): Promise<() => Promise<VolumeContent>> {
  const { pod, find } = sources;
  const claim = claimNameOf(pod, volume);
  if (claim !== undefined) {
    const content = await claimContent(find, pod, volume, claim);
    return async () => content;
  }
  const make = await prepareFiles(sources, volume);
  return make ? async () => ({ kind: 'files', files: await make() }) : async () => plainContent(volume);
}

async function prepareFiles(sources: PodSources, volume: Volume): Promise<MakeFiles | undefined> {
  const { pod, find, allocatable } = sources;
  const { configMap, secret, projected, downwardAPI } = volume;
  const namespace = pod.metadata.namespace ?? '';
  const options: FileOptions = {
    defaultMode: (configMap ?? secret ?? projected ?? downwardAPI)?.defaultMode ?? defaultFileMode,
    groupReads: pod.spec?.securityContext?.fsGroup !== undefined,
  };
  if (configMap) return configMapFiles(find, namespace, configMap, options);
  if (secret) return secretFiles(find, namespace, { ...secret, name: secret.secretName }, options);
  if (projected) return projectedFiles(sources, projected, options);
  if (downwardAPI) return downwardFiles(pod, downwardAPI.items, allocatable, options);
  return undefined;
}
