/** A semantic version. `text` is its full canonical form, pre-release and build included. */
export interface SemanticVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly text: string;
}

const identifiers = /^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/;

/** Strips leading zeros; what has no leading digit afterwards gets one, as in `0-rc1`. */
function withoutLeadingZeros(part: string): string {
  if (part.length < 2) return part;
  const stripped = part.replace(/^0+/, '');
  return /^\d/.test(stripped) ? stripped : `0${stripped}`;
}

function isPreRelease(text: string): boolean {
  return identifiers.test(text) && text.split('.').every((part) => !/^0\d+$/.test(part));
}

function parseStrict(text: string): SemanticVersion | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:-([^+]*))?(?:\+(.*))?$/.exec(text);
  if (!match) return undefined;
  const [, major, minor, patch, pre, build] = match;
  if (pre !== undefined && !isPreRelease(pre)) return undefined;
  if (build !== undefined && !identifiers.test(build)) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), text };
}

/**
 * Reads a version tolerantly: a leading `v`, missing parts and leading zeros are accepted (`v2`, `1.02.3`).
 * `undefined` for what is not a version, such as `latest` or `nightly-abc`.
 */
export function parseVersion(text: string): SemanticVersion | undefined {
  const trimmed = text.trim().replace(/^v/, '');
  const [first = '', second, ...rest] = trimmed.split('.');
  const parts = second === undefined ? [first] : rest.length === 0 ? [first, second] : [first, second, rest.join('.')];
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return undefined;
  const full = parts.map(withoutLeadingZeros);
  while (full.length < 3) full.push('0');
  return parseStrict(full.join('.'));
}

/** Negative, zero or positive, by major, minor and patch alone: pre-releases count as the release. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
