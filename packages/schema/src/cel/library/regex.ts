import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { compilePattern } from '../../engine/pattern.ts';
import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { CelError } from '../values/errors.ts';
import { ArrayList } from '../values/list.ts';
import { integer, text } from './arguments.ts';

const maxCached = 1_000;

let re2: typeof RE2JS | undefined;

function engine(): typeof RE2JS {
  re2 ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return re2;
}

const compiled = new Map<string, RE2JS>();

function compile(source: string): RE2JS {
  const known = compiled.get(source);
  if (known) return known;
  if (compiled.size >= maxCached) compiled.clear();
  try {
    const pattern = engine().compile(source);
    compiled.set(source, pattern);
    return pattern;
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error));
  }
}

/** What is wrong with a pattern; undefined when it compiles. */
export function patternError(source: string): string | undefined {
  return compilePattern(source).error;
}

/** Whether a pattern matches anywhere in a text. @throws {CelError} when it does not compile */
export function matches(subject: string, source: string): boolean {
  const pattern = compilePattern(source);
  if (pattern.error !== undefined) throw new CelError(pattern.error);
  return pattern.test(subject);
}

function findAll(subject: string, source: string, limit: number): string[] {
  const matcher = compile(source).matcher(subject);
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

/** Kubernetes' `find` and `findAll`. */
export const regexLibrary: Library = {
  overloads: [
    overload('string_find_string', 'string::find(string) -> string', (subject, source) => {
      const matcher = compile(text(source)).matcher(text(subject));
      return matcher.find() ? (matcher.group() ?? '') : '';
    }),
    overload(
      'string_find_all_string',
      'string::findAll(string) -> list(string)',
      (subject, source) => new ArrayList(findAll(text(subject), text(source), -1)),
    ),
    overload(
      'string_find_all_string_int',
      'string::findAll(string, int) -> list(string)',
      (subject, source, limit) => new ArrayList(findAll(text(subject), text(source), integer(limit))),
    ),
  ],
};
