import type { SchemaNode } from '../node.ts';

/** How consoles of the Operator Lifecycle Manager show a field. It goes into no CRD. */
export interface UiHints {
  /** Default: the field's name in words, `minReadySeconds` as `Min Ready Seconds`. */
  readonly displayName?: string;
  /** Default: the field's description. */
  readonly description?: string;
  /**
   * What shows it: a whole URN, or its end. `podCount` is of the console (`urn:alm:descriptor:com.tectonic.ui:podCount`), and
   * `io.kubernetes:Secret` of Kubernetes (`urn:alm:descriptor:io.kubernetes:Secret`).
   */
  readonly descriptors?: readonly string[];
  /** Fields with a lower one come first; those without come last. */
  readonly order?: number;
}

/** How consoles show the kind itself; see {@link UiHints}. */
export interface CsvHints extends Pick<UiHints, 'displayName' | 'description' | 'order'> {
  /** The kinds that objects of it are made of. `name` is that of a CRD, where one is meant. */
  readonly resources?: readonly { readonly kind: string; readonly version: string; readonly name?: string }[];
}

/** Where a node keeps its hints. No keyword of schemas, and as a symbol in no JSON. */
const uiHints = Symbol('how consoles show it');

/** What a node has to be given to keep the hints. */
export function keptHints(hints: UiHints): Partial<SchemaNode> {
  return { [uiHints]: hints } as Partial<SchemaNode>;
}

/** The hints that a node keeps. */
export function hintsOf(node: SchemaNode): UiHints | undefined {
  return (node as { readonly [uiHints]?: UiHints })[uiHints];
}
