/** Where data is that outlives the programs: objects in a bucket or in a folder. Knows nothing of what they are. */
import { folderStore } from './folder-store.ts';
import type { ObjectStore, Place, S3Access } from './object-store.ts';
import { s3Store } from './s3-store.ts';

export { copyObjects, type ObjectStore, type Place, placeWithin, type S3Access } from './object-store.ts';

/** The objects at a place. */
export function openStore(place: Place, access: S3Access): ObjectStore {
  return place.kind === 's3' ? s3Store(place, access) : folderStore(place.path);
}

/** The keys of a process, as programs that use S3 are given them. */
export function accessOf(env: Readonly<Record<string, string | undefined>>, prefix = 'AWS'): S3Access {
  const keys = { accessKeyId: env[`${prefix}_ACCESS_KEY_ID`], secretAccessKey: env[`${prefix}_SECRET_ACCESS_KEY`] };
  return { ...keys, region: env['AWS_REGION'] };
}
