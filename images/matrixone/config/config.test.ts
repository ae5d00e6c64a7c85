import { expect, test } from 'vitest';
import { parseFlags } from './flags.ts';
import { readLaunchFile, readServiceConfig } from './service-config.ts';

test('flags are read as programs in Go do', () => {
  expect(parseFlags(['-cfg', 'a.toml', '--debug-http=:6060', '-max-processor', '2'])).toEqual({
    cfg: 'a.toml',
    version: false,
    withProxy: false,
  });
  expect(parseFlags(['-launch=l.toml', '-with-proxy'])).toMatchObject({ launch: 'l.toml', withProxy: true });
  expect(() => parseFlags(['-what'])).toThrow('flag provided but not defined: -what');
  expect(() => parseFlags(['-cfg'])).toThrow('flag needs an argument: -cfg');
});

test('by port-base the services of a node are beside each other', () => {
  const cn = readServiceConfig(`service-type = "CN"
[hakeeper-client]
discovery-address = "mo-log-discovery.ns.svc:32001"
[cn]
uuid = "u"
port-base = 6002
listen-address = "0.0.0.0:6002"
service-host = "10.1.2.3"
sql-address = "10.1.2.3:6001"
init-work-state = "Draining"
`);
  expect(cn).toMatchObject({
    haKeeper: ['mo-log-discovery.ns.svc:32001'],
    initWorkState: 'Draining',
    pipeline: { listen: { host: '0.0.0.0', port: 6002 }, advertise: { host: '10.1.2.3', port: 6002 }, spread: 20 },
    lock: { advertise: { port: 6003 } },
    query: { advertise: { port: 6004 } },
    sql: { listen: { host: '0.0.0.0', port: 6001 }, advertise: { host: '10.1.2.3', port: 6001 }, spread: 0 },
  });
});

test('a transaction node of the old form has its own addresses', () => {
  const tn = readServiceConfig(`service-type = "DN"
[observability]
enableMetricToProm = true
[dn]
uuid = "u"
listen-address = "0.0.0.0:41010"
service-address = "dn-0.h:41010"
[dn.logtailserver]
service-address = "dn-0.h:32003"
`);
  expect(tn).toMatchObject({
    type: 'TN',
    statusPort: 7001,
    haKeeper: ['127.0.0.1:32001'],
    txn: { listen: { host: '0.0.0.0', port: 41010 }, advertise: { host: 'dn-0.h', port: 41010 }, spread: 0 },
    logtail: { advertise: { host: 'dn-0.h', port: 32003 } },
  });
});

test('a log store takes both forms of its addresses', () => {
  const recent = readServiceConfig(`service-type = "LOG"
[logservice]
deployment-id = 8850055262063083118
uuid = "u"
service-host = "log-0.h"
raft-port = 1
logservice-port = 2
gossip-port = 3
gossip-seed-addresses = ["log-0.h:3"]
[logservice.bootstrapconfig]
bootstrap-cluster = true
init-hakeeper-members = ["131072:u"]
`);
  expect(recent).toMatchObject({
    service: { listen: { host: '0.0.0.0', port: 2 }, advertise: { host: 'log-0.h', port: 2 } },
    members: [{ replicaId: 131072, uuid: 'u' }],
    seeds: ['log-0.h:3'],
  });
  const old = readServiceConfig(`service-type = "LOG"
[logservice]
deployment-id = 7
uuid = "u"
logservice-address = "log-0.h:32001"
logservice-listen-address = "0.0.0.0:32001"
[logservice.HAKeeperConfig]
cn-store-timeout = "1m30s"
`);
  expect(old).toMatchObject({
    service: { listen: { host: '0.0.0.0', port: 32001 }, advertise: { host: 'log-0.h', port: 32001 } },
    timeouts: { cn: 90_000, tn: 10_000, log: 300_000 },
    members: [],
  });
});

test.each([
  ['service-type = "X"', 'service-type must be LOG, TN, CN or PROXY'],
  ['service-type = "CN"', 'cn.uuid must be set'],
  ['service-type = "CN"\n[cn]\nuuid = 5', 'cn.uuid must be a text'],
  ['service-type = "CN"\n[cn]\nuuid = "u"\nport-base = 70000', 'cn.port-base must be a port'],
  ['service-type = "PROXY"\n[proxy]\nlisten-address = "x"', 'proxy.listen-address must be host:port'],
  ['service-type = "LOG"\n[logservice]\nuuid = "u"\ndeployment-id = -1', 'must be a whole number of at most 64 bits'],
  ['service-type = "LOG"\n[logservice]\nuuid = "u"', 'deployment-id must be above 0'],
  [
    'service-type = "LOG"\n[logservice]\nuuid = "u"\ndeployment-id = 1\n[logservice.BootstrapConfig]\nbootstrap-cluster = true\ninit-hakeeper-members = ["1:u"]',
    'is no REPLICAID:UUID',
  ],
])('%j is refused', (toml, why) => {
  expect(() => readServiceConfig(toml)).toThrow(why);
});

test('a launch file lists the services', () => {
  const text = 'logservices = ["a"]\ndnservices = ["b"]\ncnservices = ["c", "d"]\nproxy-services = ["e"]\n';
  expect(readLaunchFile(text, false)).toEqual(['a', 'b', 'c', 'd']);
  expect(readLaunchFile(text, true)).toEqual(['a', 'b', 'c', 'd', 'e']);
});
