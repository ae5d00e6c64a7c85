import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { parseType } from '../types/signature.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { intOf, Opaque, type Value } from '../values/value.ts';
import { boolean, text } from './arguments.ts';

interface Version {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly (string | bigint)[];
  readonly build: string;
}

class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  equals(other: Opaque): boolean {
    return other instanceof Semver && compareVersions(this.version, other.version) === 0;
  }
}

/** @throws {CelError} worded as the Go library words it */
function parseVersion(source: string): Version {
  if (source === '') throw new CelError('Version string empty');
  const parts = splitLimited(source);
  if (parts.length !== 3) throw new CelError('No Major.Minor.Patch elements found');
  const [major = '', minor = '', rest = ''] = parts;
  const plus = rest.indexOf('+');
  const build = plus < 0 ? undefined : rest.slice(plus + 1);
  const core = plus < 0 ? rest : rest.slice(0, plus);
  const dash = core.indexOf('-');
  const prerelease = dash < 0 ? undefined : core.slice(dash + 1);
  const patch = dash < 0 ? core : core.slice(0, dash);
  const numbers = [number('Major', major), number('Minor', minor), number('Patch', patch)];
  const tags = prerelease === undefined ? [] : prerelease.split('.').map(prereleaseTag);
  for (const tag of build === undefined ? [] : build.split('.')) checkBuild(tag);
  return { numbers, prerelease: tags, build: build ?? '' };
}

function splitLimited(source: string): string[] {
  const first = source.indexOf('.');
  const second = first < 0 ? -1 : source.indexOf('.', first + 1);
  if (second < 0) return source.split('.');
  return [source.slice(0, first), source.slice(first + 1, second), source.slice(second + 1)];
}

function number(what: string, digits: string): bigint {
  if (digits === '') throw new CelError('strconv.ParseUint: parsing "": invalid syntax');
  if (!/^\d+$/.test(digits)) {
    throw new CelError(`Invalid character(s) found in ${what.toLowerCase()} number ${JSON.stringify(digits)}`);
  }
  if (digits.length > 1 && digits.startsWith('0')) {
    throw new CelError(`${what} number must not contain leading zeroes ${JSON.stringify(digits)}`);
  }
  return BigInt(digits);
}

function prereleaseTag(tag: string): string | bigint {
  if (tag === '') throw new CelError('Prerelease is empty');
  if (/^\d+$/.test(tag)) {
    if (tag.length > 1 && tag.startsWith('0')) {
      throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(tag)}`);
    }
    return BigInt(tag);
  }
  if (!/^[0-9A-Za-z-]+$/.test(tag))
    throw new CelError(`Invalid character(s) found in prerelease ${JSON.stringify(tag)}`);
  return tag;
}

function checkBuild(tag: string): void {
  if (tag === '') throw new CelError('Build meta data is empty');
  if (!/^[0-9A-Za-z-]+$/.test(tag)) {
    throw new CelError(`Invalid character(s) found in build meta data ${JSON.stringify(tag)}`);
  }
}

/** Accepts `v1.2`, `1` and leading zeros. */
function normalize(source: string): string {
  const parts = splitLimited(source.replace(/^v/, '')).map((part) => {
    if (part.length <= 1) return part;
    const bare = part.replace(/^0+/, '');
    return /^\d/.test(bare) ? bare : `0${bare}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < 3; index += 1) {
    const [x, y] = [a.numbers[index] ?? 0n, b.numbers[index] ?? 0n];
    if (x !== y) return x < y ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length);
  for (const [index, tag] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    if (tag === other) continue;
    if (typeof tag !== typeof other) return typeof tag === 'bigint' ? -1 : 1;
    return tag < other ? -1 : 1;
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

function toSemver(value: Value, loose: boolean): Semver {
  const source = text(value);
  return new Semver(parseVersion(loose ? normalize(source) : source));
}

function isSemver(value: Value, loose: boolean): boolean {
  try {
    toSemver(value, loose);
    return true;
  } catch (error) {
    if (error instanceof CelError && typeof value === 'string') return false;
    throw error;
  }
}

function version(value: Value): Version {
  if (!(value instanceof Semver)) throw noSuchOverload();
  return value.version;
}

const order = (a: Value, b: Value) => compareVersions(version(a), version(b));
const field = (index: number) => (value: Value) => intOf(version(value).numbers[index] ?? 0n);

export const semverLibrary: Library = {
  types: [parseType('kubernetes.Semver')],
  overloads: [
    overload('string_to_semver', 'semver(string) -> kubernetes.Semver', (value) => toSemver(value, false)),
    overload('string_bool_to_semver', 'semver(string, bool) -> kubernetes.Semver', (value, loose) =>
      toSemver(value, boolean(loose)),
    ),
    overload('is_semver_string', 'isSemver(string) -> bool', (value) => isSemver(value, false)),
    overload('is_semver_string_bool', 'isSemver(string, bool) -> bool', (value, loose) =>
      isSemver(value, boolean(loose)),
    ),
    overload(
      'semver_is_greater_than',
      'kubernetes.Semver::isGreaterThan(kubernetes.Semver) -> bool',
      (a, b) => order(a, b) > 0,
    ),
    overload(
      'semver_is_less_than',
      'kubernetes.Semver::isLessThan(kubernetes.Semver) -> bool',
      (a, b) => order(a, b) < 0,
    ),
    overload('semver_compare_to', 'kubernetes.Semver::compareTo(kubernetes.Semver) -> int', order),
    overload('semver_major', 'kubernetes.Semver::major() -> int', field(0)),
    overload('semver_minor', 'kubernetes.Semver::minor() -> int', field(1)),
    overload('semver_patch', 'kubernetes.Semver::patch() -> int', field(2)),
  ],
};
