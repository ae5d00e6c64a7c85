import { ConfigMap, Secret } from '@coxswain/k8s';
import { type Actor, immutableConfig } from '@coxswain/runtime/actor';
import { installCrds, isReady } from '@coxswain/runtime/apply';
import { createClient, merge, type Transport } from '@coxswain/runtime/client';
import { ApiError, keyOf, type ObjectKey } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { type RbacRules, rulesOf } from '@coxswain/runtime/manifests';
import {
  selfSigned,
  webhook,
  webhookConfigurations,
  webhookServer,
  withConversionWebhook,
} from '@coxswain/runtime/webhook';
import { expect, test } from 'vitest';
import { missingRules, type RbacRecorder, recordRbac, unusedRules } from '../rbac/index.ts';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { installWidgets, type Widget, type WidgetKind, widget } from './test-widget.ts';

const finalizer = 'test.dev/rules';

/** All that an actor does through its context: children, versions of configs, waiting, events, status. */
function actorOf(Kind: WidgetKind): Actor<Widget> {
  return {
    owns: [Secret],
    dependsOn: [Kind],
    dependencies: ({ spec, metadata: { namespace } }) =>
      spec.needs === undefined ? [] : [{ kind: Kind, key: { namespace, name: spec.needs }, ready: () => true }],
    async observe({ object, apply, owned, ensureGone, client, status, conditions, event, ...context }) {
      const { name, namespace } = object.metadata;
      const key = { name: `${name}-${object.spec.size}`, namespace };
      await apply(ConfigMap, { metadata: key, data: { size: `${object.spec.size}` } });
      for (const old of owned(ConfigMap)) if (old.metadata.name !== key.name) await ensureGone(ConfigMap, keyOf(old));
      const config = { kind: Secret, name, stringData: { size: `${object.spec.size}` }, history: 0 };
      await immutableConfig({ object, apply, owned, client, ...context }, config);
      // Twice: the second one patches the first.
      for (let i = 0; i < 2; i++) event({ type: 'Normal', reason: 'Made', message: 'made', action: 'Make' });
      status.made = object.spec.size;
      conditions.set('Ready', 'True', 'Made');
      return undefined;
    },
    finalize: async () => true,
  };
}

/** An actor, and a controller whose keys are shared out. */
function operatorOf(world: TestCluster, Kind: WidgetKind) {
  const scope = { namespace: world.namespace };
  return {
    name: 'rules',
    setup(manager: Manager) {
      manager.actor(Kind, actorOf(Kind), { finalizer }).owns(ConfigMap, { scope }).scope(scope).run();
      const sharding = { shards: 1, namespace: world.namespace, lease: 'rules-shards' };
      manager
        .controller(Kind, 'shared')
        .scope(scope)
        .options({ sharding })
        .run({ reconcile: async () => {} });
    },
  };
}

const inject = (group: string) => ({
  validatingConfigurations: [`validating.${group}`],
  definitions: [`widgets.${group}`],
});

/** Everything about an operator from one place: what it runs, and the rules for it. */
function declared(world: TestCluster, Kind: WidgetKind) {
  const { namespace, group } = world;
  const operator = operatorOf(world, Kind);
  const election = { namespace, lease: 'rules' };
  const secret = { namespace, name: 'rules-tls' };
  const certificates = selfSigned({ secret, dnsNames: ['127.0.0.1'], inject: inject(group) });
  const rules = rulesOf(operator, { election, certificates });
  return { operator, election, certificates, rules };
}

/** Notes what is refused. */
function noting(inner: Transport, refusals: string[]): Transport {
  const told = async <R>(answer: Promise<R>): Promise<R> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ApiError && error.code === 403) refusals.push(error.message);
      throw error;
    }
  };
  return {
    send: (request) => told(inner.send(request)),
    watch: (request) => told(inner.watch(request)),
    close: () => inner.close(),
  };
}

interface Running {
  readonly manager: Manager;
  readonly recorder: RbacRecorder;
  readonly refusals: readonly string[];
}

/** Nobody is called there: the kind has one version, and the webhook may fail. */
const nowhere = 'https://127.0.0.1:1';

/** The operator as a user who may do what the rules say. */
async function run(world: TestCluster, Kind: WidgetKind, given?: RbacRules): Promise<Running> {
  const { operator, election, certificates, rules } = declared(world, Kind);
  const refusals: string[] = [];
  const recorder = recordRbac(noting(await world.transport({ rules: given ?? rules }), refusals));
  const manager = await world.manager({ name: operator.name, transport: recorder.transport, election });
  operator.setup(manager);
  const hook = webhook(Kind, { validate: { create: () => [] } });
  const client = createClient({ transport: recorder.transport, fieldManager: 'hooks' });
  const server = webhookServer({ client, webhooks: [hook], certificates, port: 0, host: '127.0.0.1' });
  manager.add(server);
  await installCrds(world.client, [withConversionWebhook(Kind.crd(), { url: nowhere })]);
  const names = { validating: `validating.${world.group}` };
  const [configuration] = webhookConfigurations([hook], { url: nowhere, names, failurePolicy: 'Ignore' });
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  await world.client.raw({ method: 'POST', path, body: { ...configuration } });
  return { manager, recorder, refusals };
}

/** A life: waiting for another, made, changed, gone. */
async function live(world: TestCluster, Kind: WidgetKind): Promise<void> {
  const { client, namespace } = world;
  const key: ObjectKey = { namespace, name: 'a' };
  const widgets = client.of(Kind);
  await widgets.create(widget(namespace, 'a', { needs: 'b' }));
  await world.settled();
  await widgets.create(widget(namespace, 'b'));
  await world.until(Kind, key, (found) => found?.status?.made === 1);
  await widgets.patch(key, merge({ spec: { size: 2 } }));
  await world.until(Kind, key, (found) => found?.status?.made === 2 && isReady(found));
  await world.settled();
  await widgets.delete(key);
  await world.until(Kind, key, (found) => found === undefined);
}

/** One of three that come together: who may list may see all, and each stands in for the others when a server does not stream. */
const isRead = (verb: string) => ['get', 'list', 'watch'].includes(verb);

test('an operator is refused nothing with the rules that are made for it, and uses nearly all of them', async () => {
  await using world = await startTestCluster();
  const Kind = await installWidgets(world);
  const { manager, recorder, refusals } = await run(world, Kind);
  await manager.start();
  await live(world, Kind);
  await manager.stop();
  expect(refusals).toEqual([]);
  const { rules } = declared(world, Kind);
  expect(missingRules(recorder.uses, rules)).toEqual([]);
  const unused = unusedRules(recorder.uses, rules).flatMap(({ resources = [], verbs }) =>
    verbs.filter((verb) => !isRead(verb)).map((verb) => `${verb} ${resources.join()}`),
  );
  expect(unused.toSorted()).toEqual([
    // When the certificate is renewed.
    'update secrets',
    // Not asked for by requests: admission looks whether it is allowed.
    'update widgets/finalizers',
  ]);
});

test('without the rule for finalizers, children cannot be owned where the server looks', async () => {
  await using world = await startTestCluster();
  const Kind = await installWidgets(world);
  const { cluster, namespaces } = declared(world, Kind).rules;
  const less = (namespaces[world.namespace] ?? []).filter(
    ({ resources }) => !resources?.includes('widgets/finalizers'),
  );
  const { manager, refusals } = await run(world, Kind, { cluster, namespaces: { [world.namespace]: less } });
  await manager.start();
  await world.client.of(Kind).create(widget(world.namespace, 'a'));
  await world.eventually(() => refusals.length > 0);
  expect(refusals[0]).toContain('cannot set blockOwnerDeletion');
});
