import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@coxswain/k8s';
import type { ClusterProgram } from '@coxswain/testing';
import { parseAllDocuments, stringify } from 'yaml';

const folder = fileURLToPath(new URL('../../../../charts', import.meta.url));

/** Folders of the charts. */
export const charts = { operator: join(folder, 'matrixone-operator'), cluster: join(folder, 'matrixone') };

/** What a chart becomes with these values: objects by `Kind/name`. @throws Error with what Helm says */
export async function rendered(
  helm: ClusterProgram,
  chart: string,
  values: object = {},
  release = 'mo',
): Promise<ReadonlyMap<string, KubeObject>> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-values-'));
  try {
    const file = join(home, 'values.yaml');
    await writeFile(file, stringify(values, { version: '1.1' }));
    const text = await helm(['template', release, chart, '-n', 'system', '-f', file]);
    const objects = parseAllDocuments(text)
      .map((document) => document.toJS() as KubeObject | null)
      .filter((object) => object !== null);
    return new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
  } finally {
    await rm(home, { recursive: true });
  }
}
