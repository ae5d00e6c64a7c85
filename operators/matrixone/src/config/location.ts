import { isTable, parseToml } from '../toml/index.ts';

/**
 * Where a configuration keeps the shared data, as one text that can be compared and read: endpoint, bucket and prefix, or
 * a path. `undefined` when it does not say (a restoring store has only the backup).
 */
export function storageLocation(toml: string): string | undefined {
  const services = parseToml(toml).fileservice;
  const entry = Array.isArray(services) ? services.find((item) => isTable(item) && item.name === 'S3') : undefined;
  if (!isTable(entry)) return undefined;
  if (typeof entry['data-dir'] === 'string' && !isTable(entry.s3)) return entry['data-dir'];
  const { s3 } = entry;
  return isTable(s3) ? `${s3.endpoint}/${s3.bucket}/${s3['key-prefix']}` : undefined;
}
