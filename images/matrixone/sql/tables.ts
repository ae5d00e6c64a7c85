import { randomUUID } from 'node:crypto';
import { SqlError } from '../wire/mysql.ts';
import type { Run, StatementContext } from './statement.ts';

/** Objects of a table: its column, and the rows of each statement that inserted some. */
const folder = 'tables';
const columnKey = (table: string) => `${folder}/${table}/column`;
const rowsFolder = (table: string) => `${folder}/${table}/rows/`;

function storageOf({ storage }: StatementContext) {
  if (storage) return storage;
  throw new SqlError(1149, 'the stand-in has tables only where a file service S3 or SHARED is configured', '42000');
}

async function columnOf(table: string, context: StatementContext): Promise<string> {
  const column = await storageOf(context).get(columnKey(table));
  if (column !== undefined) return column;
  throw new SqlError(1064, `SQL parser error: table "${table}" does not exist`, '42000');
}

const create: Run = async ([, unless, table = '', column = ''], _, context) => {
  const storage = storageOf(context);
  if ((await storage.get(columnKey(table))) === undefined) await storage.put(columnKey(table), column);
  else if (unless === undefined) throw new SqlError(1050, `table ${table} already exists`, '42S01');
  return undefined;
};

/** A text in either kind of quotes, in which a quote stands twice. */
const text = `'(?:[^']|'')*'|"(?:[^"]|"")*"`;
const value = String.raw`\(\s*(${text})\s*\)`;

function textOf(quoted: string): string {
  const quote = quoted.charAt(0);
  return quoted.slice(1, -1).replaceAll(quote + quote, quote);
}

/** Rows in the order of their statements, whichever node took them, as far as clocks agree. */
const insert: Run = async ([, table = '', list = ''], _, context) => {
  await columnOf(table, context);
  const values = [...list.matchAll(new RegExp(value, 'g'))].map(([, quoted = '']) => textOf(quoted));
  const key = `${String(context.clock.now()).padStart(15, '0')}-${randomUUID()}`;
  await storageOf(context).put(rowsFolder(table) + key, JSON.stringify(values));
  return undefined;
};

const selectAll: Run = async ([, table = ''], _, context) => {
  const column = await columnOf(table, context);
  const storage = storageOf(context);
  const parts = await Promise.all((await storage.list(rowsFolder(table))).map((key) => storage.get(key)));
  const values = parts.flatMap((part) => (part === undefined ? [] : (JSON.parse(part) as string[])));
  return { columns: [column], rows: values.map((value) => [value]) };
};

const showTables: Run = async (_, __, context) => {
  const keys = await storageOf(context).list(`${folder}/`);
  const names = keys.flatMap((key) => /^tables\/(\w+)\/column$/.exec(key)?.[1] ?? []);
  return { columns: ['Tables'], rows: names.toSorted().map((name) => [name]) };
};

/** Tables of one column of text, which all nodes of a cluster share. */
export const tableStatements: readonly (readonly [RegExp, Run])[] = [
  [/^create\s+table\s+(if\s+not\s+exists\s+)?`?(\w+)`?\s*\(\s*`?(\w+)`?\s+(?:text|varchar\s*\(\d+\))\s*\)$/i, create],
  [new RegExp(String.raw`^insert\s+into\s+\`?(\w+)\`?\s+values\s*(${value}(?:\s*,\s*${value})*)$`, 'i'), insert],
  [/^show\s+tables$/i, showTables],
  [/^select\s+\*\s+from\s+`?(\w+)`?$/i, selectAll],
];
