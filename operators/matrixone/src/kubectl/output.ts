import { UsageError } from './errors.ts';
import type { CommandLine } from './options.ts';

export type Format = 'tree' | 'wide' | 'json' | 'yaml';

const formats: ReadonlySet<string> = new Set(['wide', 'json', 'yaml']);

/** What `-o` asks for. @throws UsageError */
export function formatOf(line: CommandLine): Format {
  const format = line.text('output');
  if (format === undefined) return 'tree';
  if (!formats.has(format)) throw new UsageError(`--output is "${format}"; it is one of ${[...formats].join(', ')}`);
  return format as Format;
}

/** JSON or YAML that no terminal takes for more than text: both write the first 32 control characters as escapes, this the others. */
export async function serialized(value: unknown, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return `${withoutSteering(JSON.stringify(value, undefined, 2))}\n`;
  const { stringify } = await import('yaml');
  // strings in double quotes know the same escapes as JSON
  return withoutSteering(
    stringify(value, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 }),
  );
}

function withoutSteering(text: string): string {
  return text.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
