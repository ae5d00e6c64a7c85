import { readFileSync } from 'node:fs';

/**
 * Name in JSON, number, type, flags. The type is a scalar of protobuf, a message of the same package, or the full name of a message.
 * Flags: `r` repeated, `m` map from strings (the type is that of the values), `p` a pointer in Go (unset and zero differ),
 * `o` left out of JSON when empty, `z` left out when zero, `i` its fields are those of the surrounding object.
 */
export type ProtobufField = readonly [json: string, number: number, type: string, flags: string];

/** The fields in order of their numbers, or the name of a form of its own: `time`, `quantity`, `json` … */
export type ProtobufMessage = readonly ProtobufField[] | string;

export interface ProtobufTable {
  /** `apps/v1` → the package of its messages: `io.k8s.api.apps.v1`. */
  readonly groups: Readonly<Record<string, string>>;
  /** By the names of the schema table: `io.k8s.api.apps.v1.Deployment`. */
  readonly messages: Readonly<Record<string, ProtobufMessage>>;
}

let table: ProtobufTable | undefined;

/** How built-in types are written as protobuf: all stable versions, and what they share. Read on first use. */
export function protobufTable(): ProtobufTable {
  table ??= JSON.parse(readFileSync(new URL('./generated/protobuf.json', import.meta.url), 'utf8')) as ProtobufTable;
  return table;
}
