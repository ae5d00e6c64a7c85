/**
 * SQL to MatrixOne, over MySQL's protocol: statements with their values apart, credentials from Secrets, a time for everything. Knows no
 * statement and nothing of controllers.
 */
export { credentialFrom, type SqlCredential } from './credential.ts';
export { SqlError } from './errors.ts';
export { mysqlService } from './mysql-service.ts';
export type { SqlRow, SqlService, SqlStatement, SqlTarget } from './service.ts';
