import { standardMacros } from '../syntax/macros.ts';
import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { textSize } from '../values/text.ts';
import type { Value } from '../values/value.ts';
import { bytes, list, map, text } from './arguments.ts';
import { conversionOverloads } from './conversions.ts';
import { operatorOverloads } from './operators.ts';
import { matches } from './regex.ts';
import { timeOverloads } from './timestamps.ts';

const sizeOfText = (value: Value) => textSize(text(value));
const sizeOfBytes = (value: Value) => bytes(value).length;
const sizeOfList = (value: Value) => list(value).size;
const sizeOfMap = (value: Value) => map(value).size;
const match = (subject: Value, pattern: Value) => matches(text(subject), text(pattern));

/** The standard definitions of the language. */
export const standardLibrary: Library = {
  macros: standardMacros,
  overloads: [
    ...operatorOverloads,
    ...conversionOverloads,
    ...timeOverloads,
    overload('size_bytes', 'size(bytes) -> int', sizeOfBytes),
    overload('bytes_size', 'bytes::size() -> int', sizeOfBytes),
    overload('size_list', 'size(list(A)) -> int', sizeOfList),
    overload('list_size', 'list(A)::size() -> int', sizeOfList),
    overload('size_map', 'size(map(A, B)) -> int', sizeOfMap),
    overload('map_size', 'map(A, B)::size() -> int', sizeOfMap),
    overload('size_string', 'size(string) -> int', sizeOfText),
    overload('string_size', 'string::size() -> int', sizeOfText),
    overload('contains_string', 'string::contains(string) -> bool', (a, b) => text(a).includes(text(b))),
    overload('ends_with_string', 'string::endsWith(string) -> bool', (a, b) => text(a).endsWith(text(b))),
    overload('starts_with_string', 'string::startsWith(string) -> bool', (a, b) => text(a).startsWith(text(b))),
    overload('matches', 'matches(string, string) -> bool', match),
    overload('matches_string', 'string::matches(string) -> bool', match),
  ],
};
