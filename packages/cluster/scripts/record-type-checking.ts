/**
 * Creates the policies of `admission/test/type-cases.ts` on a real kube-apiserver with a real controller manager, and records what the
 * latter finds about their types, as a fixture for `admission/policy/type-checking.test.ts`.
 *
 *   node packages/cluster/scripts/record-type-checking.ts
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane } from '../../testing/src/control-plane/index.ts';
import { goProgramPath } from '../../testing/src/go-programs/index.ts';
import { typeCases, typePolicy } from '../src/apiserver/admission/test/type-cases.ts';

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

await using control = await startControlPlane();
const dir = mkdtempSync(join(tmpdir(), 'type-checking-'));
const kubeconfig = join(dir, 'kubeconfig');
writeFileSync(kubeconfig, control.kubeconfig(), { mode: 0o600 });
const only = '--controllers=validatingadmissionpolicy-status-controller';
const args = [`--kubeconfig=${kubeconfig}`, only, '--leader-elect=false', '--secure-port=0'];
const manager = spawn(await goProgramPath('kube-controller-manager'), args, { stdio: 'ignore' });
try {
  for (const one of typeCases) await control.transport.send({ method: 'POST', path, body: typePolicy(one) });
  const recorded: Record<string, unknown> = {};
  for (let attempt = 0; attempt < 60 && Object.keys(recorded).length < typeCases.length; attempt++) {
    await pause(1_000);
    for (const { name } of typeCases) {
      const { body } = await control.transport.send({ method: 'GET', path: `${path}/${name}` });
      const { status, metadata } = body as { status?: object; metadata: { managedFields?: readonly object[] } };
      const entry = metadata.managedFields?.find((one) => 'subresource' in one);
      if (status && 'observedGeneration' in status) recorded[name] = { status, entry: { ...entry, time: undefined } };
    }
  }
  const out = join(import.meta.dirname, '../src/apiserver/admission/fixtures/type-checking.json');
  writeFileSync(out, `${JSON.stringify(recorded, undefined, 1)}\n`);
  process.stdout.write(`${Object.keys(recorded).length} of ${typeCases.length} policies\n`);
} finally {
  manager.kill();
  rmSync(dir, { recursive: true });
}
