import type { KeyToPath } from '@coxswain/k8s';
import type { VolumeFile } from '../runtime.ts';
import { VolumeError } from './errors.ts';

/** Files of a volume, or of a part of one, by their path inside the volume. */
export type Files = ReadonlyMap<string, VolumeFile>;

/** Makes the files of what was found; a node that only asks whether everything is there never calls it. */
export type MakeFiles = () => Files | Promise<Files>;

export interface FileOptions {
  /** Permission bits of files that have none of their own. */
  readonly defaultMode: number;
  /** The owning group of the pod's files may read them. */
  readonly groupReads: boolean;
}

/** Of volumes that do not say it. */
export const defaultFileMode = 0o644;

const groupRead = 0o440;

/** One file. @param mode its own permission bits, if any */
export function file(bytes: Uint8Array, mode: number | undefined, options: FileOptions): VolumeFile {
  const bits = mode ?? options.defaultMode;
  return { bytes, mode: options.groupReads ? bits | groupRead : bits };
}

export interface KeyedSource {
  /** By key; none when the object is not there and need not be. */
  readonly values: ReadonlyMap<string, () => Uint8Array>;
  /** Which keys, and where to; absent or empty: all, under their own names. */
  readonly items: readonly KeyToPath[] | undefined;
  readonly optional: boolean;
  readonly missingKey: (key: string) => string;
}

/** The files of a ConfigMap or Secret. @throws VolumeError when a key is not there */
export function keyedFiles({ values, items, optional, missingKey }: KeyedSource, options: FileOptions): MakeFiles {
  const wanted: readonly KeyToPath[] = items?.length ? items : [...values.keys()].map((key) => ({ key, path: key }));
  const parts: { readonly item: KeyToPath; readonly value: () => Uint8Array }[] = [];
  for (const item of wanted) {
    const value = values.get(item.key);
    if (value) parts.push({ item, value });
    else if (!optional) throw new VolumeError(missingKey(item.key));
  }
  return () => new Map(parts.map(({ item, value }) => [item.path, file(value(), item.mode, options)]));
}
