import type { Parameter } from './parameters.ts';

export type PublishedSchema = Readonly<Record<string, unknown>>;

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export type HttpMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** One operation as both versions of OpenAPI describe it. */
export interface Operation {
  readonly method: HttpMethod;
  readonly id: string;
  readonly tag: string;
  /** `list`, `patch`, `connect` …; absent for discovery and the like. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  /** All of them, those of the path too. */
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: PublishedSchema; readonly types: readonly string[]; readonly required: boolean };
  /** Status codes of success. */
  readonly codes: readonly number[];
  readonly answer?: PublishedSchema;
  /** Media types of the answer. */
  readonly produces: readonly string[];
}

/** Operations by path, `/api/v1/pods`. */
export type Operations = Map<string, Operation[]>;
