import type { Call, Code } from './code.ts';
import { quoted } from './code.ts';

const width = 120;

/** Where a piece of text stands: what it is indented by, its first column, and the columns taken right after it. */
interface Place {
  readonly indent: number;
  readonly start: number;
  readonly after: number;
}

/**
 * The text of an expression in the layout of Biome (and of Prettier, whose rules these are): 120 columns, indented by two,
 * single quotes, trailing commas.
 * @param start the columns in front of it on its first line
 * @param after the columns right after it: 1 for a semicolon
 */
export function printCode(code: Code, start = 0, after = 0): string {
  return print(code, { indent: 0, start, after });
}

function print(code: Code, place: Place): string {
  const line = flat(code);
  if (line !== undefined && place.start + columns(line) + place.after <= width) return line;
  switch (code.is) {
    case 'atom':
      return code.text;
    case 'cast':
      return `${print(code.value, { ...place, after: place.after + 9 })} as never`;
    case 'object':
      return printObject(code.entries, place);
    case 'array':
      return printArray(code.items, place);
    case 'call':
      return `${code.callee}${printArgs(code.args, { ...place, start: place.start + code.callee.length })}`;
    case 'chain':
      return printChain(code.head, code.calls, place);
  }
}

/** The text on one line; undefined when the layout wants several whatever the room. */
function flat(code: Code): string | undefined {
  switch (code.is) {
    case 'atom':
      return code.text;
    case 'cast':
      return append(flat(code.value), ' as never');
    case 'object':
      if (code.wide) return undefined;
      if (code.entries.length === 0) return '{}';
      return enclosed(
        '{ ',
        code.entries.map(([key, value]) => append(`${keyText(key)}: `, flat(value))),
        ' }',
      );
    case 'array':
      return isTable(code.items) ? undefined : enclosed('[', code.items.map(flat), ']');
    case 'call':
      return append(code.callee, flatArgs(code.args));
    case 'chain':
      return isSpread(code.head, code.calls) ? undefined : flatCalls(code.head, code.calls);
  }
}

function flatCalls(head: string, calls: readonly Call[]): string | undefined {
  return calls.reduce<string | undefined>(
    (text, call) => append(text, append(nameOf(call), flatArgs(call.args))),
    head,
  );
}

function flatArgs(args: readonly Code[]): string | undefined {
  return enclosed('(', args.map(flat), ')');
}

function enclosed(open: string, parts: readonly (string | undefined)[], close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(', ')}${close}`;
}

function append(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function printObject(entries: readonly (readonly [string, Code])[], { indent }: Place): string {
  const inner = indent + 2;
  const lines = entries.map(([key, value]) => {
    const name = keyText(key);
    const start = inner + columns(name) + 2;
    // a string that is too long for the line begins a new one
    if (value.is === 'atom' && value.isString && start + columns(value.text) + 1 > width) {
      return `${pad(inner)}${name}:\n${pad(inner + 2)}${value.text},\n`;
    }
    return `${pad(inner)}${name}: ${print(value, { indent: inner, start, after: 1 })},\n`;
  });
  return `{\n${lines.join('')}${pad(indent)}}`;
}

function printArray(items: readonly Code[], { indent }: Place): string {
  const inner = indent + 2;
  const numbers = items.length > 1 && items.every(isNumber);
  return `[\n${numbers ? filled(items, inner) : onePerLine(items, inner)}${pad(indent)}]`;
}

function isNumber(code: Code): code is Extract<Code, { is: 'atom' }> {
  return code.is === 'atom' && /^-?[\d.]/.test(code.text);
}

/** Numbers stand side by side, as many as there is room for. */
function filled(items: readonly Extract<Code, { is: 'atom' }>[], indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const { text } of items) {
    if (line !== '' && indent + line.length + text.length + 2 > width) {
      lines.push(line);
      line = '';
    }
    line += `${line === '' ? '' : ' '}${text},`;
  }
  return [...lines, line].map((text) => `${pad(indent)}${text}\n`).join('');
}

function onePerLine(items: readonly Code[], indent: number): string {
  return items.map((item) => `${pad(indent)}${print(item, { indent, start: indent, after: 1 })},\n`).join('');
}

/** Several lists, or several objects, of more than one element each are written as a table. */
function isTable(items: readonly Code[]): boolean {
  const [first] = items;
  return items.length > 1 && items.every((item) => item.is === first?.is && sizeOf(item) > 1);
}

function sizeOf(code: Code): number {
  if (code.is === 'object') return code.entries.length;
  return code.is === 'array' ? code.items.length : 0;
}

function printArgs(args: readonly Code[], place: Place): string {
  const line = flatArgs(args);
  if (line !== undefined && place.start + columns(line) + place.after <= width) return line;
  return hugged(args, place) ?? `(\n${onePerLine(args, place.indent + 2)}${pad(place.indent)})`;
}

/** An object or list that comes last is opened on the line of the call, when what is before it leaves room for that. */
function hugged(args: readonly Code[], { indent, start }: Place): string | undefined {
  const last = args.at(-1);
  const inner = last?.is === 'cast' ? last.value : last;
  if (!last || (inner?.is !== 'object' && inner?.is !== 'array') || sizeOf(inner) === 0) return undefined;
  const before = args.slice(0, -1).map((arg) => append(flat(arg), ', '));
  if (before.includes(undefined)) return undefined;
  const lead = `(${before.join('')}`;
  if (start + columns(lead) + 1 > width) return undefined;
  const text = inner.is === 'object' ? printObject(inner.entries, at(indent)) : printArray(inner.items, at(indent));
  return `${lead}${text}${last.is === 'cast' ? ' as never' : ''})`;
}

function at(indent: number): Place {
  return { indent, start: indent, after: 0 };
}

function printChain(head: string, calls: readonly Call[], place: Place): string {
  const rest = afterLead(head, calls);
  if (rest.length < 2) return printCalls(head, calls, place);
  if (!isSpread(head, calls)) {
    const inLine = printCalls(head, calls, place);
    // an object over several lines at the end keeps the chain together, as one that was written so would
    if (endsInObject(head, calls, inLine)) return inLine;
  }
  return printCalls(head, calls, place, rest.length);
}

/** Whether all is on one line, up to an object that the last call opens there. */
function endsInObject(head: string, calls: readonly Call[], text: string): boolean {
  const last = calls.at(-1);
  const line = append(flatCalls(head, calls.slice(0, -1)), `${nameOf(last)}(`);
  if (line === undefined || !text.startsWith(line) || text.startsWith(`${line}\n`)) return false;
  return text.includes('{\n') && last?.args.some(isLiteral) === true;
}

function isLiteral(code: Code): boolean {
  return code.is === 'object' || code.is === 'array' || (code.is === 'cast' && isLiteral(code.value));
}

/** The calls one after the other; the last `spread` of them begin a line each. */
function printCalls(head: string, calls: readonly Call[], place: Place, spread = 0): string {
  let text = head;
  for (const [index, call] of calls.entries()) {
    const ownLine = index >= calls.length - spread;
    const indent = ownLine ? place.indent + 2 : place.indent;
    if (ownLine) text += `\n${pad(indent)}`;
    const name = nameOf(call);
    const start = lastColumn(text, place.start) + columns(name);
    text += name + printArgs(call.args, { indent, start, after: index === calls.length - 1 ? place.after : 0 });
  }
  return text;
}

/** The calls that can begin a line: a name with a capital is taken for a maker of things, and keeps its first call. */
function afterLead(head: string, calls: readonly Call[]): readonly Call[] {
  return /^[A-Z]/.test(head) ? calls.slice(1) : calls;
}

function breaksByItself({ args }: Call): boolean {
  return flatArgs(args) === undefined;
}

/** Whether a chain takes a line for each call whatever the room. */
function isSpread(head: string, calls: readonly Call[]): boolean {
  const rest = afterLead(head, calls);
  if (rest.length < 2) return false;
  if (calls.length > 2 && !calls.every(({ args }) => args.every((arg) => isSimple(arg, 0)))) return true;
  return rest.slice(0, -1).some(breaksByItself);
}

function isSimple(code: Code, depth: number): boolean {
  if (depth > 1) return false;
  switch (code.is) {
    case 'atom':
      return code.simple;
    case 'object':
      return code.entries.every(([key, value]) => key !== '__proto__' && isSimple(value, depth + 1));
    case 'array':
      return code.items.every((item) => isSimple(item, depth + 1));
    case 'chain':
      return code.calls.every(({ args }) => args.every((arg) => isSimple(arg, depth + 1)));
    default:
      return false;
  }
}

function nameOf(call: Call | undefined): string {
  return call ? `.${call.name}${call.types === undefined ? '' : `<${call.types}>`}` : '';
}

function keyText(key: string): string {
  // written plainly it would be the prototype, not a field
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
}

function pad(indent: number): string {
  return ' '.repeat(indent);
}

function lastColumn(text: string, start: number): number {
  const line = text.lastIndexOf('\n');
  return line < 0 ? start + columns(text) : columns(text.slice(line + 1));
}

const wideChar =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/gu;

/** Columns on a screen: the scripts of East Asia take two for a character. */
function columns(text: string): number {
  if (!/[^\x20-\x7e]/.test(text)) return text.length;
  return [...text].length + (text.match(wideChar)?.length ?? 0);
}
