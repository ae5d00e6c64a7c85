import type { Defaulted, Nullable, Optional, Schema } from './schema.ts';

/** The properties of an object builder. */
export type Props = Readonly<Record<string, Schema<unknown>>>;

type Flat<T> = { readonly [K in keyof T]: T[K] };
type OptionalKeys<P, Mark> = { [K in keyof P]: P[K] extends Mark ? K : never }[keyof P];

/**
 * The type of a builder's values as read from the server: defaulted fields are there, optional ones may be missing.
 */
export type Infer<S> = S extends { readonly __type?: infer T } ? (S extends Nullable ? T | null : T) : never;

/** The type of an object with these properties, read-only. */
export type ObjectValue<P> = Flat<
  { readonly [K in Exclude<keyof P, OptionalKeys<P, Optional>>]: Infer<P[K]> } & {
    readonly [K in OptionalKeys<P, Optional>]?: Infer<P[K]>;
  }
>;

/** As `Infer`, but as a user writes it: fields with a default may be left out too, at every depth. */
export type InferInput<S> = S extends { readonly __input?: infer T } ? (S extends Nullable ? T | null : T) : never;

/** As `ObjectValue`, but as a user writes it: fields with a default may be left out too, at every depth. */
export type ObjectInput<P> = Flat<
  { readonly [K in Exclude<keyof P, OptionalKeys<P, Optional | Defaulted>>]: InferInput<P[K]> } & {
    readonly [K in OptionalKeys<P, Optional | Defaulted>]?: InferInput<P[K]>;
  }
>;
