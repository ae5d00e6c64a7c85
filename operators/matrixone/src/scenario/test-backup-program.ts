import { Job } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { JobReports } from '../backup/report.ts';

const record = '0192-aaaa-bbbb,12 MB,lake/backup,2026-01-02 03:04:05,1s,2026-01-02 03:04:09';
/** Looks at a Job while it runs: a few seconds, in which what may happen to it is another thing than before or after. */
const looksWhileItRuns = 2;
/** Looks at each Job so far, by its UID: an operator that has just started finds the programs of its world where they are. */
const looksOf = new WeakMap<Client, Map<string, number>>();

/** The backup program, which is done a few seconds after its Job may run. */
export function backupProgram(client: Client): JobReports {
  const looks = looksOf.get(client) ?? new Map<string, number>();
  looksOf.set(client, looks);
  return {
    async read(key) {
      const job = await client.of(Job).find(key);
      if (!job || job.spec?.suspend) throw new Error(`no answer from ${key.name}`);
      const { uid = '' } = job.metadata;
      const look = (looks.get(uid) ?? 0) + 1;
      looks.set(uid, look);
      if (look <= looksWhileItRuns) return { completed: false, exitCode: 0, stdout: 'backing up\n', stderr: '' };
      return { completed: true, exitCode: 0, stdout: `backing up\nMETA_DELIMITER\n${record}\n`, stderr: '' };
    },
  };
}
