import { ConfigMap, type KeyToPath, Secret } from '@coxswain/k8s';
import type { FindObject } from '../find-object.ts';
import { VolumeError } from './errors.ts';
import { type FileOptions, keyedFiles, type MakeFiles } from './files.ts';

/** A ConfigMap or Secret as a volume, or a projected one, names it. */
export interface ObjectSource {
  readonly name?: string | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
}

const encoder = new TextEncoder();

/** Byte values are base64 in objects. */
function decoded(data: Readonly<Record<string, string>> | undefined): [string, () => Uint8Array][] {
  return Object.entries(data ?? {}).map(([key, value]) => [key, () => Buffer.from(value, 'base64')]);
}

/** @throws VolumeError when it, or a key of it, is not there */
export async function configMapFiles(
  find: FindObject,
  namespace: string,
  { name = '', items, optional = false }: ObjectSource,
  options: FileOptions,
): Promise<MakeFiles> {
  const map = await find(ConfigMap, { namespace, name });
  if (!map && !optional) throw new VolumeError(`configmap "${name}" not found`);
  const texts = Object.entries(map?.data ?? {}).map(([key, text]) => [key, () => encoder.encode(text)] as const);
  const values = new Map([...texts, ...decoded(map?.binaryData)]);
  const missingKey = (key: string) => `configmap references non-existent config key: ${key}`;
  return keyedFiles({ values, items, optional, missingKey }, options);
}

/** @throws VolumeError when it, or a key of it, is not there */
export async function secretFiles(
  find: FindObject,
  namespace: string,
  { name = '', items, optional = false }: ObjectSource,
  options: FileOptions,
): Promise<MakeFiles> {
  const secret = await find(Secret, { namespace, name });
  if (!secret && !optional) throw new VolumeError(`secret "${name}" not found`);
  const missingKey = (key: string) => `references non-existent secret key: ${key}`;
  return keyedFiles({ values: new Map(decoded(secret?.data)), items, optional, missingKey }, options);
}
