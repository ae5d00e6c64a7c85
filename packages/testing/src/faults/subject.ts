import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { freePort } from '../control-plane/child.ts';
import { compactEtcd, startControlPlane } from '../control-plane/index.ts';
import type { Server } from '../test-cluster/index.ts';
import { type Program, startProgram } from './process.ts';

/** A server in processes of its own, that can be made to forget and to crash. */
export interface Subject extends AsyncDisposable {
  kubeconfig(): string;
  compact(): Promise<void>;
  /** SIGKILL, and started again with its data; resolves when it serves. */
  crash(): Promise<void>;
}

export async function startSubject(server: Server): Promise<Subject> {
  return server === 'real' ? realSubject() : embeddedSubject();
}

async function realSubject(): Promise<Subject> {
  // It is started a hundred times, on machines that may be busy: one slow start says nothing about the operator.
  const plane = await startControlPlane({ timeout: 300_000 });
  return {
    kubeconfig: () => plane.kubeconfig(),
    compact: () => compactEtcd(plane.etcdUrl),
    crash: () => plane.crashApiserver(),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
}

async function embeddedSubject(): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-subject-'));
  const port = await freePort();
  const serve = async () => {
    const started = startProgram('./server-program.ts', [folder, String(port)]);
    await started.said(({ report }) => report === 'ready' || undefined);
    return started;
  };
  let program: Program = await serve();
  const config = await readFile(join(folder, 'kubeconfig'), 'utf8');
  return {
    kubeconfig: () => config,
    async compact() {
      const transport = httpTransport(await loadKubeconfig({ text: config }));
      await createClient({ transport }).raw({ method: 'POST', path: '/_coxswain/compact' });
      await transport.close();
    },
    async crash() {
      await program.end('SIGKILL');
      program = await serve();
    },
    async [Symbol.asyncDispose]() {
      await program.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
