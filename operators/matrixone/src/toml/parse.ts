import { parse, TomlError } from 'smol-toml';
import type { TomlTable } from './value.ts';

/** The text of a `config` field is not TOML. `message` has the line, the column and what was expected. */
export class TomlSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(line: number, column: number, why: string, options?: ErrorOptions) {
    super(`line ${line}, column ${column}: ${why}`, options);
    this.name = 'TomlSyntaxError';
    this.line = line;
    this.column = column;
  }
}

/** Why the parser gave up, without the excerpt of the text that it adds: user configuration may hold secrets. */
function reasonOf(error: TomlError): string {
  const first = error.message.split('\n')[0] ?? '';
  return first.replace(/^Invalid TOML document: /, '');
}

/**
 * Parses TOML 1.0, dates included.
 * @throws TomlSyntaxError
 */
export function parseToml(text: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: true, useLegacyDate: true, unsafeKeyBehaviour: 'throw' }) as TomlTable;
  } catch (error) {
    if (error instanceof TomlError)
      throw new TomlSyntaxError(error.line, error.column, reasonOf(error), { cause: error });
    throw error;
  }
}
