// The operator under test, as a process: `node --expose-gc echo-program.ts OPTIONS.json`. Says on standard output that it is ready, and
// what it has done when it is asked on standard input; ends in order on SIGTERM.
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { ConfigMap } from '@coxswain/k8s';
import { createClient, httpTransport, loadKubeconfig, type Transport } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { createManager, runUntilSignal } from '@coxswain/runtime/manager';
import { Echo } from './echo.ts';
import type { EchoProgramOptions, EchoReport } from './types.ts';

const options = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as EchoProgramOptions;
const { namespace, identity, callTimeout, watchIdle } = options;

/** Gives a call up after a while of its own, below the 30 s of the client, where a test has no time. */
function impatient(inner: Transport): Transport {
  if (callTimeout === undefined) return inner;
  const signalOf = (signal: AbortSignal | undefined) =>
    AbortSignal.any([AbortSignal.timeout(callTimeout), ...(signal ? [signal] : [])]);
  return {
    ...inner,
    send: (request) => inner.send({ ...request, signal: signalOf(request.signal) }),
    watch: (r) => inner.watch(r),
    close: () => inner.close(),
  };
}

const connection = await loadKubeconfig({ path: options.kubeconfig });
const transport = impatient(httpTransport(connection, watchIdle === undefined ? {} : { watchIdle }));
const client = createClient({ transport, fieldManager: identity, userAgent: 'echo-program' });
const manager = createManager({
  client,
  name: 'echo',
  ...(options.lease ? { election: { namespace, lease: options.lease, identity } } : {}),
});
let passes = 0;
manager
  .actor<Echo>(
    Echo,
    {
      async observe({ object, apply, status }) {
        passes++;
        const { name } = object.metadata;
        const { text } = object.spec;
        await apply(ConfigMap, { metadata: { name, namespace }, data: { text, by: identity } });
        status.said = text;
        return undefined;
      },
      finalize: ({ ensureGone, object }) => ensureGone(ConfigMap, keyOf(object)),
    },
    { finalizer: 'faults.test.dev/echo' },
  )
  .scope({ namespace })
  .owns(ConfigMap, { scope: { namespace } })
  .run();

const say = (report: EchoReport) => process.stdout.write(`${JSON.stringify(report)}\n`);
const collect = (globalThis as { gc?: () => void }).gc;
createInterface({ input: process.stdin })
  .on('line', (id) => {
    collect?.();
    collect?.();
    say({ report: 'stats', id, passes, heap: process.memoryUsage().heapUsed });
  })
  // It is nobody's when who started it has gone.
  .on('close', () => process.exit(1));
// Runs when all informers have been started.
manager.add({
  name: 'warm',
  start: async () => {
    void manager.cache.synced().then(
      () => say({ report: 'warm' }),
      () => {},
    );
  },
});
await runUntilSignal(() => manager, { onRunning: () => say({ report: 'leads' }) });
