import type { OpenApiDocument } from './generate.ts';

/** A kind with a URL of its own. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Name of its definition. */
  readonly definition: string;
}

interface Operation {
  readonly 'x-kubernetes-group-version-kind'?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>> }>
  >;
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
  };
}

/** `$ref` of an operation's object: the body of POST. */
function definitionOf(operation: Operation): string | undefined {
  const ref = Object.values(operation.requestBody?.content ?? {})[0]?.schema?.$ref;
  return ref?.slice(ref.lastIndexOf('/') + 1);
}

/** The kinds that a document's collection paths create. */
export function collectKinds(document: OpenApiDocument): ServedKind[] {
  const kinds: ServedKind[] = [];
  for (const [path, methods] of Object.entries(document.paths ?? {})) {
    const match = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(namespaces\/\{namespace\}\/)?([a-z]+)$/.exec(path);
    const post = methods['post'] as Operation | undefined;
    const gvk = post?.['x-kubernetes-group-version-kind'];
    if (!match || !post || !gvk) continue;
    const definition = definitionOf(post);
    if (definition) kinds.push({ ...gvk, plural: match[2] ?? '', namespaced: match[1] !== undefined, definition });
  }
  return kinds;
}
