import type { Secret } from '@coxswain/k8s';
import { type MatrixOneCluster, metricSecretName } from '../api/index.ts';
import type { SqlStatement } from '../sql/index.ts';

const user = 'mo_operator';
const role = 'metric_reader';
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Letters of its password, and so the bytes it is made of. */
export const metricPasswordLength = 12;

/**
 * The Secret with the user that reads metrics. Written once.
 * @param bytes {@link metricPasswordLength} bytes that nobody can guess
 */
export function metricReaderOf({ metadata }: MatrixOneCluster, bytes: Uint8Array): Secret {
  const password = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
  const texts = { username: user, account: 'sys', role, password };
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: metricSecretName(metadata.name), namespace: metadata.namespace ?? '' },
    type: 'Opaque',
    data: Object.fromEntries(data),
  };
}

/** What makes that user, in this order; safe to repeat. A database that was restored has one already, of another password. */
export function metricReaderStatements(password: string): readonly SqlStatement[] {
  return [
    { text: `CREATE USER IF NOT EXISTS \`${user}\` IDENTIFIED BY ?`, values: [password] },
    { text: `ALTER USER \`${user}\` IDENTIFIED BY ?`, values: [password] },
    { text: `CREATE ROLE IF NOT EXISTS \`${role}\`` },
    { text: `GRANT connect ON ACCOUNT * TO \`${role}\`` },
    { text: `GRANT select ON TABLE system_metrics.* TO \`${role}\`` },
    { text: `GRANT \`${role}\` TO \`${user}\`` },
  ];
}
