/**
 * The Echo operator on our runtime, as a program of `./cox bench runtime`; what it reads from its environment and writes to its output is
 * the same for all programs there, and told in `bench/README.md`.
 */
import { createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { createManager, runUntilSignal } from '@coxswain/runtime/manager';
import { type Counter, type MetricSpec, prometheusMetrics } from '@coxswain/runtime/metrics';
import { metricsServer } from '@coxswain/runtime/serving';
import { certificatesFromFiles, Denied, webhook, webhookServer } from '@coxswain/runtime/webhook';
import { Echo } from './kind.ts';
import { setUp } from './operator.ts';

const tell = (event: object): void => {
  process.stdout.write(`${JSON.stringify(event)}\n`);
};

tell({ event: 'started' });
const env = process.env;
const expected = Number(env['EXPECT'] ?? 0);
const seen = new Set<string>();
let reconciles = 0;

/** Counts what ended well, and says when the first and the last have. */
function ended(): void {
  reconciles++;
  if (reconciles === 1) tell({ event: 'first' });
  if (expected > 0 && seen.size >= expected && !told) {
    told = true;
    tell({ event: 'all' });
  }
}
let told = false;

const registry = await prometheusMetrics();
const metrics = {
  ...registry,
  counter(spec: MetricSpec): Counter {
    const counter = registry.counter(spec);
    if (spec.name !== 'controller_runtime_reconcile_total') return counter;
    return {
      inc(labels, by) {
        counter.inc(labels, by);
        if (labels.result !== 'error') ended();
      },
    };
  },
};

const transport = httpTransport(await loadKubeconfig({ path: env['KUBECONFIG'] ?? '' }));
const client = createClient({ transport, fieldManager: 'echo-operator' });
const [namespace, lease] = (env['LEASE'] ?? '').split('/');
const election = namespace && lease ? { election: { namespace, lease } } : {};
const manager = createManager({ client, name: 'echo', metrics, ...election });
const port = Number(env['METRICS_PORT'] ?? 0);
if (port > 0) manager.add(metricsServer({ registry, port, host: '127.0.0.1' }));
const hooks = Number(env['WEBHOOK_PORT'] ?? 0);
if (hooks > 0) {
  const refuseBad = ({ spec }: Echo) => {
    if (spec.text === 'bad') throw new Denied('text must not be bad');
  };
  const echoes = webhook(Echo, {
    default(draft) {
      draft.spec.n ??= 3;
    },
    validate: { create: refuseBad, update: refuseBad },
  });
  const files = { cert: env['WEBHOOK_CERT'] ?? '', key: env['WEBHOOK_KEY'] ?? '' };
  const certificates = certificatesFromFiles(files);
  manager.add(webhookServer({ client, webhooks: [echoes], certificates, port: hooks, metrics }));
}
setUp(manager, (name) => void seen.add(name));

process.on('SIGUSR2', () => tell({ event: 'stats', reconciles }));
await runUntilSignal(() => manager, {
  onRunning: () => {
    tell({ event: 'synced' });
    if (expected === 0) tell({ event: 'all' });
  },
});
