import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the Go struct says of a field beyond its .proto file. */
export interface GoTag {
  readonly json: string;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
}

export interface GoPackage {
  /** Struct → protobuf number → tag. */
  readonly structs: ReadonlyMap<string, ReadonlyMap<number, GoTag>>;
  /** API group, when the package registers one. */
  readonly group: string | undefined;
}

/** Reads the struct tags of all Go files of a package's folder. */
export function readGoPackage(folder: string): GoPackage {
  const structs = new Map<string, ReadonlyMap<number, GoTag>>();
  let group: string | undefined;
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.go') || /_test\.go$|generated/.test(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    group ??= /^const GroupName = "([^"]*)"$/m.exec(text)?.[1];
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      structs.set(name, tagsOf(body));
    }
  }
  return { structs, group };
}

function tagsOf(body: string): ReadonlyMap<number, GoTag> {
  const tags = new Map<number, GoTag>();
  for (const [, name, type = '', text = ''] of body.matchAll(/^\t(?:(\w+)[ \t]+)?(\S+)[ \t]+`([^`]*)`/gm)) {
    const number = /protobuf:"\w+,(\d+)/.exec(text)?.[1];
    if (number === undefined) continue;
    const [json = '', ...options] = (/json:"([^"]*)"/.exec(text)?.[1] ?? '').split(',');
    tags.set(Number(number), {
      json,
      pointer: type.startsWith('*'),
      omitEmpty: options.includes('omitempty'),
      omitZero: options.includes('omitzero'),
      inline: name === undefined && json === '',
    });
  }
  return tags;
}
