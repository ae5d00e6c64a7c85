import { mysqlService } from '@coxswain/operator-matrixone/sql';
import { systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cnToml, eventually, freePorts, logToml, TestPrograms, tnToml } from '../test-program.ts';

const dump = { user: 'dump', password: '111' };
const { signal } = new AbortController();
const sql = mysqlService({ clock: systemClock });
let programs: TestPrograms;
let port = 0;
const target = (credential = dump) => ({ host: '127.0.0.1', port, credential });

beforeAll(async () => {
  programs = await TestPrograms.make();
  const log = (await programs.start('log-0', logToml())).addresses['service'] ?? '';
  const [cn] = await Promise.all([programs.start('cn-0', cnToml(log, 'cn-0')), programs.start('tn-0', tnToml(log))]);
  port = Number(cn.addresses['sqlAddress']?.split(':').at(-1));
});
afterAll(() => programs.close());

test('statements answer their rows, in order, and the connection is given back', async () => {
  const answers = await sql.run(
    target(),
    [{ text: 'select ? as x, 2 as y', values: ['it’s'] }, { text: 'begin' }],
    signal,
  );
  expect(answers).toEqual([[{ x: 'it’s', y: '2' }], []]);
  const count = async () => {
    const [rows] = await sql.run(target(), [{ text: 'show processlist' }], signal);
    expect(rows).toHaveLength(1);
  };
  await eventually(count);
});

test('a user that is made, or given another password, may log in, and a wrong password is told without it', async () => {
  const reader = { user: 'mo_operator', password: 'aB-_9zaB-_9z' };
  const statements = [
    { text: 'create user if not exists `mo_operator` identified by ?', values: ['another'] },
    { text: 'alter user `mo_operator` identified by ?', values: [reader.password] },
  ];
  await sql.run(target(), statements, signal);
  expect(await sql.run(target(reader), [{ text: 'select 1 as one' }], signal)).toEqual([[{ one: '1' }]]);
  const wrong = sql.run(target({ user: 'dump', password: 'not-this-one' }), [], signal);
  await expect(wrong).rejects.toMatchObject({ name: 'SqlError', code: 1045, address: `127.0.0.1:${port}` });
  await expect(wrong).rejects.not.toThrow('not-this-one');
});

test('what fails names the statement by its first words, and nothing of its values', async () => {
  const failing = sql.run(target(), [{ text: 'drop table ?', values: ['a-secret-value'] }], signal);
  await expect(failing).rejects.toMatchObject({ code: 20105 });
  await expect(failing).rejects.toThrow('DROP TABLE: ');
  await expect(failing).rejects.not.toThrow('a-secret-value');
});

test('a server that hangs, or is not there, is waited for as long as said', async () => {
  const hasty = mysqlService({ clock: systemClock, timeout: 100 });
  await expect(hasty.run(target(), [{ text: 'select sleep(60)' }], signal)).rejects.toThrow('no answer within 0.1s');
  const stop = new AbortController();
  const stopped = sql.run(target(), [{ text: 'select sleep(60)' }], stop.signal);
  stop.abort(new Error('the operator stops'));
  await expect(stopped).rejects.toThrow('the operator stops');
  const [free = 0] = await freePorts(1);
  await expect(sql.run({ ...target(), port: free }, [], signal)).rejects.toThrow(`SQL at 127.0.0.1:${free}`);
});
