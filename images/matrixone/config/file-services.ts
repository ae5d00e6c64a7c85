import type { Place } from '../storage/index.ts';
import type { Keys } from './keys.ts';

const backends: Readonly<Record<string, Place['kind']>> = {
  s3: 's3',
  minio: 's3',
  disk: 'folder',
  'disk-etl': 'folder',
};

function placeOf(service: Keys): Place | undefined {
  const table = service.table('s3');
  const bucket = table.text('bucket');
  const kind = backends[(service.text('backend') ?? (bucket ? 's3' : '')).toLowerCase()];
  if (kind === 's3' && bucket)
    return { kind, endpoint: table.text('endpoint') ?? '', bucket, prefix: table.text('key-prefix') ?? '' };
  const path = service.text('data-dir');
  return kind === 'folder' && path ? { kind, path } : undefined;
}

/** Where the file services of a configuration have their objects, by name in capitals; those of memory are left out. */
export function fileServices(keys: Keys): ReadonlyMap<string, Place> {
  const entries = keys
    .tables('fileservice')
    .map((service) => [service.text('name')?.toUpperCase() ?? '', placeOf(service)] as const);
  return new Map(entries.filter((entry): entry is [string, Place] => entry[1] !== undefined));
}
