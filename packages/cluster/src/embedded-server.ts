import { join } from 'node:path';
import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { Transport } from '@coxswain/runtime/client';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { Authority } from '@coxswain/runtime/pki';
import {
  builtinAdmission,
  createWebhookCaller,
  installPolicyStatus,
  type WebhookCaller,
} from './apiserver/admission/index.ts';
import { bootstrapCluster, bootstrapDefinitions, publishServer } from './apiserver/bootstrap/index.ts';
import { builtinResources, createRegistry, serviceRangeOf, storedServiceRange } from './apiserver/builtin/index.ts';
import { installCrds } from './apiserver/crd/index.ts';
import { discoveryRoute, pathsRoute, versionRoute } from './apiserver/discovery/index.ts';
import { type ApiServer, createApiServer, type NodeConnections, type UserInfo } from './apiserver/index.ts';
import { openApiRoute, openApiV2Route } from './apiserver/openapi/index.ts';
import { resourceMetrics } from './apiserver/resource-metrics/index.ts';
import { builtinForms, builtinSubresources, nodeSubresources } from './apiserver/subresources/index.ts';
import { toTable } from './apiserver/table/index.ts';
import type { TokenSource } from './controllers/index.ts';
import { type HttpsServer, inProcessTransport, startHttps } from './http/index.ts';
import { type Operations, openOperations } from './operations.ts';
import { loadKeys, serverNames } from './pki/index.ts';
import { openSecurity, type Security } from './security.ts';
import { openStorage } from './storage/index.ts';
import type { Storage } from './storage/types.ts';
import { tryAll } from './try-all.ts';
import type { ClusterOptions } from './types.ts';

/** Where Services are when they are in the loopback range. */
export interface ServiceNetwork {
  /** Such as `127.65.0.0/16`. */
  readonly serviceRange: string;
  /** Port of the Service `kubernetes`, where 443 cannot be had. */
  readonly serverPort?: number;
}

export interface EmbeddedServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly options: ClusterOptions;
  /** How pods are reached; nodes may come and go. Default: none is. */
  readonly nodes?: NodeConnections;
  /**
   * Asked once, before anything is served, where Services get their addresses from, when pods and nodes live in the loopback range.
   * Endpoints may then be there and proxies lead there, which the real server refuses. Absent: as the real server.
   * @param stored the range of an earlier start
   */
  readonly loopbackPods?: (stored: string | undefined) => Promise<ServiceNetwork>;
  /** Custom kinds that are served from the start. */
  readonly definitions?: readonly CustomResourceDefinition[];
}

/** An API server with its store, its keys and, when asked for, its port. */
export interface EmbeddedServer {
  readonly authority: Authority;
  readonly port?: number;
  readonly operations: Pick<Operations, 'faults' | 'health' | 'compactNow'>;
  /** What secrets for service accounts are filled with. */
  readonly tokens: TokenSource;
  /** Straight into the server, as `user`. */
  transport(user: UserInfo): Transport;
  close(): Promise<void>;
}

function makeApi(
  storage: Storage,
  security: Security,
  { call }: WebhookCaller,
  operations: Operations,
  { clock, random, log, options, nodes = new Map(), ...rest }: EmbeddedServerOptions,
): ApiServer {
  // What an earlier start with such pods left has to be served, and cleaned up, without them too.
  const loopbackPods = rest.loopbackPods !== undefined || storedServiceRange(storage)?.startsWith('127.') === true;
  const registry = createRegistry(builtinResources(security.answers, { loopbackPods }));
  const share = options.simulatedUsage === undefined ? {} : { share: options.simulatedUsage };
  if (options.controlPlane !== false)
    for (const resource of resourceMetrics({ storage, nodes, clock, ...share })) registry.set(resource);
  const outside = nodeSubresources({ nodes, clock, random, loopbackPods });
  return createApiServer({
    storage,
    registry,
    clock,
    random,
    log,
    authorizer: security.authorizer,
    admission: [
      ...builtinAdmission({
        random,
        registry,
        authorizer: security.authorizer,
        webhooks: { random, registry, call, authorizer: security.authorizer },
        enabled: options.admissionPlugins ?? [],
      }),
      ...security.admission,
    ],
    routes: [
      discoveryRoute(registry),
      openApiRoute(registry),
      openApiV2Route(registry),
      versionRoute,
      ...operations.routes,
      ...security.routes,
      pathsRoute(registry),
    ],
    subresources: [...builtinSubresources, ...security.subresources, ...outside.subresources],
    connects: outside.connects,
    forms: builtinForms,
    toTable,
  });
}

/**
 * Opens the store, brings the kinds in it back into service, and serves.
 * @throws DataDirError, KeysError, ListenError
 */
export async function startServer(server: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { clock, random, log, options, definitions = [] } = server;
  const { dataDir, fsync = 'interval', authorization = 'RBAC' } = options;
  const storage = await openStorage({ ...(dataDir === undefined ? {} : { dir: dataDir }), fsync, clock, log });
  const closers: (() => void | Promise<void>)[] = [() => storage.close()];
  const close = async () => {
    await tryAll(
      closers
        .splice(0)
        .reverse()
        .map((closer) => async () => closer()),
    );
  };
  try {
    const { authority, serviceAccountKey } = loadKeys({
      clock,
      ...(dataDir === undefined ? {} : { dir: join(dataDir, 'pki') }),
    });
    const controlPlane = options.controlPlane !== false;
    const security = openSecurity({ storage, clock, random, serviceAccountKey, authorization, controlPlane });
    closers.push(() => security.close());
    const webhooks = createWebhookCaller({
      clock,
      ...(options.webhookRoutes ? { routes: options.webhookRoutes } : {}),
    });
    closers.push(() => webhooks.close());
    const operations = openOperations({ storage, clock, random, ...options.inFlight });
    closers.push(() => operations.close());
    const api = makeApi(storage, security, webhooks, operations, server);
    const context = { registry: api.registry, storage, clock, random };
    const crds = installCrds({ ...context, call: webhooks.call });
    const { serviceRange, serverPort } = (await server.loopbackPods?.(storedServiceRange(storage))) ?? {};
    const bootstrap = bootstrapCluster(context, {
      certificateAuthority: authority.cert,
      ...(serviceRange === undefined ? {} : { serviceRange }),
    });
    closers.push(
      () => api.close(),
      () => crds.cancel(),
      () => bootstrap.cancel(),
    );
    security.bootstrap();
    if (controlPlane) {
      const status = installPolicyStatus({ storage, registry: api.registry, clock, log });
      closers.push(() => status.cancel());
    }
    bootstrapDefinitions(context, definitions);
    operations.health.crds = true;
    const handler = operations.around(api);
    const https: HttpsServer | undefined =
      options.port === undefined
        ? undefined
        : await startHttps({
            port: options.port,
            handler,
            serves: (request) => api.serves(request),
            authenticate: security.authenticate,
            limit: operations.limit,
            authority,
            names: [...serverNames, serviceRangeOf(storage).addressAt(1)],
            log,
            clock,
            random,
          });
    if (https) {
      closers.push(() => https.close());
      publishServer(context, { ip: '127.0.0.1', port: https.port, ...(serverPort ? { servicePort: serverPort } : {}) });
    }
    return {
      authority,
      ...(https ? { port: https.port } : {}),
      operations,
      tokens: { certificateAuthority: authority.cert, sign: security.signForSecret },
      transport: (user) => inProcessTransport(handler, user, clock),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
