/** Objects of text by key, at a place of their own. Keys are relative to it and never begin with a slash. */
export interface ObjectStore {
  put(key: string, body: string): Promise<void>;
  /** `undefined`: there is no such object. */
  get(key: string): Promise<string | undefined>;
  /** All keys that begin with `prefix`, in order. */
  list(prefix?: string): Promise<readonly string[]>;
}

/** Where objects are: below a prefix of a bucket, or in a folder. */
export type Place =
  | { readonly kind: 's3'; readonly endpoint: string; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'folder'; readonly path: string };

/** Who asks an S3 server. Without keys requests are not signed. */
export interface S3Access {
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly region?: string | undefined;
}

/** A place within another: keys get this in front of them. */
export function placeWithin(place: Place, folder: string): Place {
  if (folder === '') return place;
  if (place.kind === 'folder') return { ...place, path: `${place.path}/${folder}` };
  return { ...place, prefix: place.prefix === '' ? folder : `${place.prefix}/${folder}` };
}

/** Copies all objects below `from` of a store to below `to` of another. @returns their keys, as in the source, and their bytes together */
export async function copyObjects(
  source: ObjectStore,
  from: string,
  target: ObjectStore,
  to: string,
): Promise<{ readonly keys: readonly string[]; readonly bytes: number }> {
  const keys: string[] = [];
  let bytes = 0;
  for (const key of await source.list(from)) {
    const body = await source.get(key);
    // One that went meanwhile is not part of it.
    if (body === undefined) continue;
    const relative = key.slice(from.length);
    await target.put(`${to}${relative}`, body);
    keys.push(relative);
    bytes += Buffer.byteLength(body);
  }
  return { keys, bytes };
}
