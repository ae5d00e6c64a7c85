import { parse, TomlError } from 'smol-toml';
import { isTable, type TomlTable, type TomlValue } from './value.ts';

/** The text of a `config` field is not TOML. `message` has the line and the column, or the key, and what is wrong there. */
export class TomlSyntaxError extends Error {
  constructor(where: string, why: string, options?: ErrorOptions) {
    super(`${where}: ${why}`, options);
    this.name = 'TomlSyntaxError';
  }
}

/** Tables and lists within each other. Whoever walks through them calls itself for each, and every header repeats those above it. */
const deepest = 100;
const [leastInteger, mostInteger] = [-(2n ** 63n), 2n ** 64n - 1n];

/** Why the parser gave up, without the excerpt of the text that it adds: user configuration may hold secrets. */
function reasonOf(error: TomlError): string {
  const first = error.message.split('\n')[0] ?? '';
  return first.replace(/^Invalid TOML document: /, '');
}

const nameOf = (path: readonly string[]) => path.join('.').replaceAll('.[', '[');

/** Refuses what the parser takes and nobody can work with. @throws TomlSyntaxError */
function check(value: TomlValue, path: readonly string[]): void {
  if (path.length > deepest) {
    throw new TomlSyntaxError(`${nameOf(path.slice(0, 3))}…`, `is nested more than ${deepest} deep`);
  }
  if (typeof value === 'bigint' && (value < leastInteger || value > mostInteger)) {
    throw new TomlSyntaxError(nameOf(path), 'an integer has 64 bits');
  }
  if (Array.isArray(value)) for (const [i, item] of value.entries()) check(item, [...path, `[${i}]`]);
  else if (isTable(value)) for (const [key, item] of Object.entries(value)) check(item, [...path, key]);
}

/**
 * Parses TOML 1.0, dates included.
 * @throws TomlSyntaxError
 */
export function parseToml(text: string): TomlTable {
  const table = parsed(text);
  check(table, []);
  return table;
}

function parsed(text: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: true, useLegacyDate: true, unsafeKeyBehaviour: 'throw' }) as TomlTable;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new TomlSyntaxError(`line ${error.line}, column ${error.column}`, reasonOf(error), { cause: error });
  }
}
