import { parseArgs } from 'node:util';
import type { Place, S3Access } from '../matrixone/storage/index.ts';

/** Flags with values, as `--flag=value` or `--flag value`, and what stands between them. */
export interface Flags {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly words: readonly string[];
}

/** @param switches flags without a value @throws Error for a flag that is not known */
export function parseFlags(args: readonly string[], names: readonly string[], switches: readonly string[]): Flags {
  const texts = names.map((name) => [name, { type: 'string' }] as const);
  const flags = switches.map((name) => [name, { type: 'boolean' }] as const);
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries([...texts, ...flags]),
    allowPositionals: true,
  });
  const given = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
  return { values: Object.fromEntries(given), words: positionals };
}

/** The place that flags name, `prefix` being in front of their names. @throws Error that says which flag is missing */
export function placeOf({ values }: Flags, kind: string, prefix = ''): Place {
  const of = (name: string) => values[prefix + name] ?? '';
  const need = (name: string) => {
    if (of(name) !== '') return of(name);
    throw new Error(`--${prefix}${name} must be set`);
  };
  if (kind === 'filesystem') return { kind: 'folder', path: need('path') };
  if (kind !== 's3') throw new Error(`${JSON.stringify(kind)} is neither s3 nor filesystem`);
  return { kind: 's3', endpoint: need('endpoint'), bucket: need('bucket'), prefix: of('filepath') };
}

export function accessIn({ values }: Flags, prefix: string, region: string | undefined): S3Access {
  return {
    accessKeyId: values[`${prefix}access_key_id`],
    secretAccessKey: values[`${prefix}secret_access_key`],
    region: values[`${prefix}region`] ?? region,
  };
}
