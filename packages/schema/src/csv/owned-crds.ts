import type { SchemaNode } from '../node.ts';
import type { Resource } from '../resource/types.ts';
import { type CsvHints, hintsOf, type UiHints } from './hints.ts';

/** One field of a kind, as a ClusterServiceVersion describes it. */
export interface CsvDescriptor {
  /** Within `spec` or `status`: `size`, `tls.secretName`, `rules[0].host`. */
  readonly path: string;
  readonly displayName: string;
  readonly description?: string;
  readonly 'x-descriptors'?: readonly string[];
}

/** One kind that an operator owns: an entry of `spec.customresourcedefinitions.owned` of a ClusterServiceVersion. */
export interface OwnedCrd {
  /** Of the CRD: `memcacheds.cache.example.com`. */
  readonly name: string;
  readonly version: string;
  readonly kind: string;
  readonly displayName: string;
  readonly description?: string;
  readonly resources?: CsvHints['resources'];
  readonly specDescriptors?: readonly CsvDescriptor[];
  readonly statusDescriptors?: readonly CsvDescriptor[];
}

/**
 * The kinds an operator owns, as a ClusterServiceVersion (`operators.coreos.com/v1alpha1`) lists them in
 * `spec.customresourcedefinitions.owned`. Each field right below `spec` and `status` has a descriptor, which is what the scorecard's
 * `olm-spec-descriptors` and `olm-status-descriptors` ask for; deeper ones have one where they have hints (`.ui()`).
 */
export function ownedCrds(resources: readonly Resource[]): readonly OwnedCrd[] {
  return byOrder(resources.map((resource) => ({ order: resource.definition.csv?.order, value: ownedOf(resource) })));
}

function ownedOf({ definition, group, version, kind, plural, schema }: Resource): OwnedCrd {
  const { csv = {} } = definition;
  const description = csv.description ?? definition.description;
  const [spec, status] = [descriptorsOf(schema.properties?.['spec']), descriptorsOf(schema.properties?.['status'])];
  return {
    name: `${plural}.${group}`,
    version,
    kind,
    displayName: csv.displayName ?? inWords(kind),
    ...(description === undefined ? {} : { description }),
    ...(csv.resources ? { resources: csv.resources } : {}),
    ...(spec.length > 0 ? { specDescriptors: spec } : {}),
    ...(status.length > 0 ? { statusDescriptors: status } : {}),
  };
}

function descriptorsOf(node: SchemaNode | undefined): readonly CsvDescriptor[] {
  return byOrder(node ? found(node, '') : []);
}

interface Ordered<T> {
  readonly order: number | undefined;
  readonly value: T;
}

function found(node: SchemaNode, path: string): readonly Ordered<CsvDescriptor>[] {
  if (node.items) return found(node.items, `${path}[0]`);
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const hints = hintsOf(child);
    const own = hints || path === '' ? [{ order: hints?.order, value: descriptor(at, name, child, hints ?? {}) }] : [];
    return [...own, ...found(child, at)];
  });
}

function descriptor(path: string, name: string, node: SchemaNode, hints: UiHints): CsvDescriptor {
  const description = hints.description ?? node.description;
  return {
    path,
    displayName: hints.displayName ?? inWords(name),
    ...(description === undefined ? {} : { description }),
    ...(hints.descriptors ? { 'x-descriptors': hints.descriptors.map(urnOf) } : {}),
  };
}

function urnOf(descriptor: string): string {
  if (descriptor.startsWith('urn:')) return descriptor;
  const owner = descriptor.startsWith('io.kubernetes') ? '' : 'com.tectonic.ui:';
  return `urn:alm:descriptor:${owner}${descriptor}`;
}

/** `minReadySeconds` as `Min Ready Seconds`, `TLSSecret` as `TLS Secret`. */
function inWords(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Stable: what has no order stays in that of its declaration, at the end. */
function byOrder<T>(all: readonly Ordered<T>[]): readonly T[] {
  const rank = ({ order }: Ordered<T>) => order ?? Number.POSITIVE_INFINITY;
  return all.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b))).map(({ value }) => value);
}
