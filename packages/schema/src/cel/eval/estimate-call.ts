import type { Expr } from '../syntax/ast.ts';
import { type CelType, sameType } from '../types/type.ts';
import { fixed, product, type Range, scaled, sum, unbounded, union } from './estimate-size.ts';

/** What is known of an operand before the call is made. */
export interface Operand {
  readonly expr: Expr | undefined;
  readonly type: CelType;
  readonly size: Range;
  /** The size of items, of a list. */
  readonly itemSize: () => Range;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

const perUnit = 0.1;
const perPatternUnit = 0.25;

function literal(operand: Operand | undefined, otherwise: number): number {
  const value = operand?.expr?.kind === 'const' ? operand.expr.value : undefined;
  return typeof value === 'number' ? Math.max(value, 0) : otherwise;
}

function listCall(factor: number, size: Range): CallEstimate {
  return { cost: sum(scaled(size, factor), fixed(11)), size };
}

function selfCompare({ type, size }: Operand): CallEstimate {
  const kind = type.params[0]?.kind;
  const factor = kind === 'string' || kind === 'bytes' ? 2.1 : 2;
  return listCall(factor, product(size, size));
}

type Estimator = (args: readonly Operand[], overload: string) => CallEstimate | undefined;

/** For overloads that have an estimate of their own. The first operand is the target, if there is one. */
const byOverload: Readonly<Record<string, Estimator>> = {
  list_slice: ([list, from, to]) => {
    const size = literal(to, list?.size.max ?? unbounded) - literal(from, 0);
    return listCall(1, fixed(size < 0 ? unbounded : size));
  },
  lists_range: ([count]) => listCall(1, fixed(literal(count, unbounded))),
  list_reverse: ([list]) => list && listCall(1, list.size),
  list_flatten: ([list]) => list && listCall(1, list.size),
  list_flatten_int: ([list, depth]) => list && listCall(literal(depth, unbounded), list.size),
  list_distinct: ([list]) => list && listCall(2, product(list.size, list.size)),
  list_sets_contains_list: setsCost(1),
  list_sets_intersects_list: setsCost(1),
  list_sets_equivalent_list: setsCost(2),
};

function setsCost(factor: number): Estimator {
  return ([a, b]) => a && b && { cost: sum(scaled(product(a.size, b.size), factor), fixed(1)) };
}

const one: Estimator = () => ({ cost: fixed(1) });
const scanFirst: Estimator = ([a]) => a && { cost: scaled(a.size, perUnit) };
const scanFirstSized: Estimator = ([a]) => a && { cost: scaled(a.size, perUnit), size: a.size };

const traverse: Estimator = ([list]) => {
  if (!list) return undefined;
  const [element] = list.type.params;
  if (!element) return { cost: scaled(list.size, perUnit) };
  const isText = element.kind === 'string' || element.kind === 'bytes';
  const each = isText ? sum(fixed(1), scaled(list.itemSize(), perUnit)) : fixed(1);
  return { cost: product(list.size, each) };
};

const find: Estimator = ([subject, pattern]) => {
  if (!subject || !pattern) return undefined;
  const scan = scaled(sum(subject.size, fixed(1)), perUnit);
  return { cost: product(scan, scaled(pattern.size, perPatternUnit)), size: { min: 0, max: subject.size.max } };
};

const split: Estimator = ([subject, , limit]) => {
  if (!subject) return undefined;
  const max = literal(limit, subject.size.max);
  return { cost: scaled(subject.size, 2 * perUnit), size: { min: 0, max } };
};

const join: Estimator = ([list, separator]) => {
  if (!list) return undefined;
  const items = product(list.size, list.itemSize());
  const gaps = { min: Math.max(list.size.min - 1, 0), max: Math.max(list.size.max - 1, 0) };
  const size = separator ? sum(items, product(separator.size, gaps)) : items;
  return { cost: scaled(size, perUnit), size };
};

const replace: Estimator = ([subject, part, by]) => {
  if (!subject || !part || !by) return undefined;
  const size = subject.size;
  const most =
    part.size.min === 0 ? size.max + 1 : by.size.max <= part.size.min ? 0 : Math.ceil(size.max / part.size.min);
  const least =
    part.size.max === 0 ? size.min + 1 : part.size.max <= by.size.min ? 0 : Math.ceil(size.min / part.size.max);
  const keptMax = part.size.min === 0 || by.size.max <= part.size.min ? size.max : 0;
  const keptMin = part.size.max === 0 || part.size.max <= by.size.min ? size.min : 0;
  const result = sum(product({ min: least, max: most }, by.size), { min: keptMin, max: keptMax });
  return { cost: scaled(size, 2 * perUnit), size: result };
};

function containment(inner: boolean): Estimator {
  return ([, other], overload) => {
    const bytes = { min: 4, max: 16 };
    const parts = [scaled(sum(bytes, bytes), perUnit)];
    if (inner) parts.push(scaled(bytes, perUnit), fixed(1));
    if (other && overload.endsWith('_string')) parts.push(scaled(other.size, perUnit));
    return { cost: sum(...parts) };
  };
}

const selector: Estimator = ([, text]) => {
  if (!text) return undefined;
  return { cost: sum(fixed(10), scaled(text.size, perUnit), scaled(scaled(text.size, 0.5), 50)) };
};

function forNames(names: string, estimator: Estimator): Readonly<Record<string, Estimator>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, estimator]));
}

/** For the functions of Kubernetes' libraries, by name. */
const byFunction: Readonly<Record<string, Estimator>> = {
  check: () => ({ cost: fixed(350_000) }),
  ...forNames('serviceAccount path group resource subresource namespace name allowed reason error errored', one),
  ...forNames('fieldSelector labelSelector', selector),
  ...forNames('isSorted sum max min indexOf lastIndexOf includes', traverse),
  ...forNames('url jsonpatch.escapeKey lowerAscii upperAscii substring trim', scanFirstSized),
  replace,
  split,
  join,
  ...forNames('find findAll', find),
  ...forNames('cidr isIP isCIDR quantity isQuantity semver isSemver', scanFirst),
  ip: (args, overload) => (overload === 'cidr_ip' ? { cost: fixed(1) } : scanFirst(args, overload)),
  'ip.isCanonical': ([text]) => text && { cost: scaled(text.size, 2 * perUnit) },
  ...forNames('masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast', one),
  isGlobalUnicast: one,
  containsIP: containment(false),
  containsCIDR: containment(true),
  validate: ([, text]) => text && { cost: scaled(scaled(text.size, perUnit), 128 * perPatternUnit) },
  ...forNames('format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo', one),
  ...forNames('add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery', one),
  sort: ([list]) => list && selfCompare(list),
  '@sortByAssociatedKeys': ([, keys]) => keys && selfCompare(keys),
  '_==_': ([a, b]) => (a && b ? equality(a, b) : undefined),
};

const unitTypes: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
    (name) => `kubernetes.authorization.${name}`,
  ),
]);

function equality(a: Operand, b: Operand): CallEstimate | undefined {
  if (!sameType(a.type, b.type)) return undefined;
  if (unitTypes.has(a.type.name)) return { cost: fixed(1) };
  if (a.type.name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: 64 }, perUnit) };
  if (a.type.name !== 'kubernetes.URL') return undefined;
  const size = b.size.max < unbounded ? b.size.max : 1;
  return { cost: scaled({ min: 1, max: size }, perUnit) };
}

/** The estimate of a library's call, without its arguments; undefined for the standard functions. */
export function estimateLibraryCall(
  name: string,
  overload: string,
  args: readonly Operand[],
): CallEstimate | undefined {
  const special = Object.hasOwn(byOverload, overload) ? byOverload[overload] : undefined;
  const own = Object.hasOwn(byFunction, name) ? byFunction[name] : undefined;
  return special?.(args, overload) ?? own?.(args, overload) ?? undefined;
}

const smaller: Estimator = ([a, b]) => {
  if (!a || !b) return undefined;
  const max = Math.min(a.size.max, b.size.max);
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, perUnit) };
};

const concat: Estimator = ([a, b]) => {
  if (!a || !b) return undefined;
  const size = sum(a.size, b.size);
  return { cost: scaled(size, perUnit), size };
};

const matching: Estimator = (args) => {
  const estimate = find(args, '');
  return estimate && { cost: estimate.cost };
};

const scanSecond: Estimator = ([, b]) => b && { cost: scaled(b.size, perUnit) };

/** For the standard functions, by overload. */
const standard: Readonly<Record<string, Estimator>> = {
  string_format: scanFirst,
  string_to_bytes: ([a]) => a && { cost: scaled(a.size, perUnit), size: { min: a.size.min, max: a.size.max * 4 } },
  bytes_to_string: ([a]) =>
    a && { cost: scaled(a.size, perUnit), size: { min: Math.trunc(a.size.min / 4), max: a.size.max } },
  strings_quote: ([a]) =>
    a && { cost: scaled(a.size, perUnit), size: { min: a.size.min + 2, max: a.size.max * 2 + 2 } },
  ...forNames('starts_with_string ends_with_string', scanSecond),
  in_list: ([, list]) => list && { cost: list.size },
  ...forNames('matches matches_string', matching),
  contains_string: ([a, b]) => a && b && { cost: product(scaled(a.size, perUnit), scaled(b.size, perUnit)) },
  conditional: ([, yes, no]) => yes && no && { cost: fixed(0), size: union(yes.size, no.size) },
  add_list: ([a, b]) => a && b && { cost: fixed(1), size: sum(a.size, b.size) },
  ...forNames('add_string add_bytes', concat),
  ...forNames('less_string greater_string less_equals_string greater_equals_string', smaller),
  ...forNames('less_bytes greater_bytes less_equals_bytes greater_equals_bytes equals not_equals', smaller),
};

export function estimateStandardCall(overload: string, args: readonly Operand[]): CallEstimate {
  const estimator = Object.hasOwn(standard, overload) ? standard[overload] : undefined;
  return estimator?.(args, overload) ?? { cost: fixed(1) };
}
