import type { FileKeySelector } from '@coxswain/k8s';
import { refusal } from './config-sources.ts';

/** Reads a file of a volume of the pod; `undefined` when there is none. */
export type ReadVolumeFile = (volume: string, path: string) => Promise<Uint8Array | undefined>;

const assignment = /^([^=]*?)([ \t]*)=([ \t]*)(.*)$/s;

/**
 * The value of a variable in a file of lines `NAME='value'`; a value may go over lines, and a comment may follow it. Blank lines
 * and comments are passed over. `''` when it is not there, `undefined` when the file is not of that form before its place is reached.
 */
export function envFileValue(text: string, key: string): string | undefined {
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\n');
    const line = (end < 0 ? rest : rest.slice(0, end)).replace(/\r$/, '').replace(/^[ \t]+/, '');
    const after = end < 0 ? '' : rest.slice(end + 1);
    if (line === '' || line.startsWith('#')) {
      rest = after;
      continue;
    }
    const [, name, before, space, value = ''] = assignment.exec(line) ?? [];
    if (!name || before) return undefined;
    if (space) {
      if (name === key) return '';
      rest = after;
      continue;
    }
    if (!value.startsWith("'")) return undefined;
    const quoted = quotedValue(rest.slice(rest.indexOf("='") + 2));
    if (!quoted) return undefined;
    if (name === key) return quoted.value;
    rest = quoted.rest;
  }
  return '';
}

/** What is up to the closing quote, and what is behind its line. */
function quotedValue(text: string): { readonly value: string; readonly rest: string } | undefined {
  const [whole, value] = /^([^']*)'[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/.exec(text) ?? [];
  return whole === undefined || value === undefined ? undefined : { value, rest: text.slice(whole.length) };
}

/** `undefined`: it is not there and need not be. @throws RuntimeRefusal */
export async function fileValue(
  { volumeName, path, key, optional = false }: FileKeySelector,
  read: ReadVolumeFile | undefined,
): Promise<string | undefined> {
  if (!read)
    throw refusal(`variables of files are not supported here: "${key}" of "${path}" in volume "${volumeName}"`);
  const bytes = await read(volumeName, path);
  const value = bytes && envFileValue(new TextDecoder().decode(bytes), key);
  if (value === undefined) throw refusal("couldn't parse env file");
  if (value !== '') return value;
  if (optional) return undefined;
  throw refusal(`environment variable key "${key}" not found in file "${path}"`);
}
