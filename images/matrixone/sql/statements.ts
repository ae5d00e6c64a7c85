import { sleep } from '@coxswain/runtime/core';
import { SqlError } from '../wire/mysql.ts';
import { backupStatements } from './backup.ts';
import type { Session } from './session.ts';
import type { Result, Run, StatementContext } from './statement.ts';
import { tableStatements } from './tables.ts';

/** One value of a SELECT without tables. */
async function evaluate(text: string, session: Session, context: StatementContext): Promise<string | null> {
  const quoted = /^(?:'([^']*)'|"([^"]*)")$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2] ?? '';
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  const [, seconds] = /^sleep\s*\(\s*(\d+(?:\.\d+)?)\s*\)$/i.exec(text) ?? [];
  if (seconds !== undefined) {
    await sleep(context.clock, Number(seconds) * 1000, context.signal);
    return '0';
  }
  switch (text.toLowerCase().replaceAll(' ', '')) {
    case 'null':
      return null;
    case 'version()':
    case '@@version':
      return context.version;
    case 'database()':
      return session.db === '' ? null : session.db;
    case 'connection_id()':
      return String(session.id);
    case 'user()':
    case 'current_user()':
      return `${session.user}@%`;
    case '@@version_comment':
      return 'MatrixOne';
    default:
      if (/^@@[\w.]+$/.test(text)) return '';
      throw new SqlError(1149, `the stand-in of MatrixOne cannot evaluate ${text} (${known})`, '42000');
  }
}

/** Expressions between commas that are not within brackets or quotes. */
const expression = /((?:'[^']*'|"[^"]*"|\([^)]*\)|[^,'"(])+)(?:,|$)/g;

async function select([, list = '']: RegExpExecArray, session: Session, context: StatementContext): Promise<Result> {
  const columns: string[] = [];
  const row: (string | null)[] = [];
  for (const [, part = ''] of list.matchAll(expression)) {
    const [, value = '', name] = /^(.*?)(?:\s+as\s+[`"']?(\w+)[`"']?)?$/is.exec(part.trim()) ?? [];
    columns.push(name ?? value);
    row.push(await evaluate(value, session, context));
  }
  return { columns, rows: [row] };
}

const processColumns = ['node_id', 'conn_id', 'account', 'user', 'db', 'command', 'info', 'from_proxy'];

/** The sys account sees all sessions, others their own. */
function processList(session: Session, { sessions, nodeId }: StatementContext): Result {
  const seen = sessions.all.filter(({ account }) => session.account === 'sys' || account === session.account);
  const rows = seen.map(({ id, account, user, db, info, fromProxy }) => {
    const command = info === '' ? 'Sleep' : 'Query';
    return [nodeId, String(id), account, user, db, command, info, String(fromProxy)];
  });
  return { columns: processColumns, rows };
}

async function backendServers({ backends }: StatementContext): Promise<Result> {
  const rows = (await backends()).map(({ uuid, address, workState, labels }) => {
    const shown = Object.entries(labels).map(([key, values]) => `${key}:${values.join(',')}`);
    return [uuid, address, workState, shown.join(';')];
  });
  return { columns: ['UUID', 'Address', 'Work State', 'Labels'], rows };
}

function transaction(session: Session, open: boolean): Result {
  session.inTransaction = open;
  return undefined;
}

const statements: readonly (readonly [RegExp, Run])[] = [
  ...tableStatements,
  ...backupStatements,
  [/^select\s+(.*?)(?:\s+limit\s+\d+)?$/is, select],
  [/^show\s+(?:full\s+)?processlist$/i, (_, session, context) => processList(session, context)],
  [/^show\s+backend\s+servers$/i, (_, __, context) => backendServers(context)],
  [/^show\s+databases$/i, () => ({ columns: ['Database'], rows: [['mo_catalog'], ['system']] })],
  [/^show\s+(?:session\s+|global\s+)?variables\b/i, () => ({ columns: ['Variable_name', 'Value'], rows: [] })],
  [/^show\s+warnings$/i, () => ({ columns: ['Level', 'Code', 'Message'], rows: [] })],
  [
    /^use\s+`?(\w+)`?$/i,
    ([, db = ''], session) => {
      session.db = db;
      return undefined;
    },
  ],
  [/^(?:begin|start\s+transaction)\b/i, (_, session) => transaction(session, true)],
  [/^(?:commit|rollback)\b/i, (_, session) => transaction(session, false)],
  [/^set\s/i, () => undefined],
  [
    /^create\s+user\s+if\s+not\s+exists\s+[`']?(\w+)[`']?\s+identified\s+by\s+'([^']*)'$/i,
    ([, name = '', password = ''], session, { users }) => {
      if (session.account !== 'sys') throw new SqlError(20101, 'the stand-in makes users of the sys account only');
      users.create(name, password);
      return undefined;
    },
  ],
  [
    /^alter\s+user\s+[`']?(\w+)[`']?\s+identified\s+by\s+'([^']*)'$/i,
    ([, name = '', password = ''], session, { users }) => {
      if (session.account !== 'sys' || !users.change(name, password))
        throw new SqlError(
          20101,
          `the stand-in changes users only that were made in the sys account: there is no ${name}`,
        );
      return undefined;
    },
  ],
  // Everybody may everything here.
  [/^create\s+role\s+if\s+not\s+exists\s/i, () => undefined],
  [/^grant\s/i, () => undefined],
  [
    /^kill\s+(?:connection\s+|query\s+)?(\d+)$/i,
    ([, id], _, { sessions }) => {
      const victim = sessions.get(Number(id));
      if (!victim) throw new SqlError(1094, `Unknown thread id: ${id}`);
      victim.packets.close();
      return undefined;
    },
  ],
];

/** What somebody who types at it can do; the README has the rest. */
const known =
  "it has no storage engine and knows: select of values, sleep(n); create table t (c text), insert into t values ('x'), select * from t, " +
  'show tables; show processlist, show backend servers, kill N; use, begin, commit, rollback';

/** Carries out a statement. @throws SqlError for one that the stand-in does not know */
export async function execute(text: string, session: Session, context: StatementContext): Promise<Result> {
  const statement = text.trim().replace(/;\s*$/, '').trim();
  for (const [pattern, run] of statements) {
    const match = pattern.exec(statement);
    if (match) return run(match, session, context);
  }
  throw new SqlError(20105, `not supported by the stand-in of MatrixOne: ${statement.slice(0, 60)} (${known})`);
}
