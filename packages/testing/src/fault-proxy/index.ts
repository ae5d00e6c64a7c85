/**
 * fault-proxy: a bad network, and a server in a bad mood, between a client and an API server: real sockets on loopback, faults on
 * command or from a script. Knows sockets, TLS and HTTP; nothing of what clients are for.
 *
 * ```
 *   client ── TCP ──▶ wire ── TCP ──▶ gateway ── HTTPS ──▶ API server
 *                      │                 │
 *     reset, half-open, delay, slow    answer, truncate; counts requests
 * ```
 */
export { randomFaults } from './random-faults.ts';
export { startFaultProxy } from './start-fault-proxy.ts';
export type {
  FaultProxy,
  FaultProxyOptions,
  FaultScript,
  NetworkFault,
  ProxyCounts,
  RequestFilter,
  ScriptedFault,
} from './types.ts';
