import type { Column } from '../types.ts';
import { admissionTables } from './admission-columns.ts';
import { createdAt, name } from './cells.ts';
import { clusterTables } from './cluster-columns.ts';
import { definitionTables } from './definition-columns.ts';
import { deviceTables } from './device-columns.ts';
import { networkTables } from './network-columns.ts';
import { podColumns } from './pod-columns.ts';
import { serverTables } from './server-columns.ts';
import { storageTables } from './storage-columns.ts';
import { workloadTables } from './workload-columns.ts';

const tables: Readonly<Record<string, readonly Column[]>> = {
  '/pods': podColumns,
  ...workloadTables,
  ...networkTables,
  ...storageTables,
  ...clusterTables,
  ...admissionTables,
  ...definitionTables,
  ...serverTables,
  ...deviceTables,
};

/** Name and creation time, for kinds without columns of their own. */
export const plainColumns: readonly Column[] = [name, createdAt];

/** Columns of a built-in kind; kinds without their own show name and creation time. */
export function columnsOf(group: string, plural: string): readonly Column[] {
  return tables[`${group}/${plural}`] ?? plainColumns;
}
