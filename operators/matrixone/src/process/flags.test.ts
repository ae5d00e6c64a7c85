import { expect, test } from 'vitest';
import { parseFlags } from './flags.ts';

const initial = {
  metrics: { port: 8080 },
  health: { port: 8081 },
  leaderElect: false,
  certificateDirectory: '/tmp/k8s-webhook-server/serving-certs',
  configDirectory: '/etc/mo-operator-cfg',
  caFile: 'caBundle',
  failover: true,
  logLevel: 'info',
  help: false,
};

test.each<[string[], object]>([
  [[], {}],
  [['-leader-elect'], { leaderElect: true }],
  [['--leader-elect=true', '--failover=false'], { leaderElect: true, failover: false }],
  [['-leader-elect', '-failover=F'], { leaderElect: true, failover: false }],
  [['--metrics-bind-address', '127.0.0.1:9'], { metrics: { host: '127.0.0.1', port: 9 } }],
  [['-health-probe-bind-address=[::1]:80'], { health: { host: '::1', port: 80 } }],
  [['-operator-cfg-directory', '/a=b', '-ca-file=ca.crt'], { configDirectory: '/a=b', caFile: 'ca.crt' }],
  [['-webhook-certificate-directory=/c'], { certificateDirectory: '/c' }],
  [['-zap-devel'], { logLevel: 'debug' }],
  [['-zap-devel', '-zap-log-level=error'], { logLevel: 'error' }],
  [['-zap-log-level', '3', '-zap-encoder=console', '-zap-stacktrace-level=panic'], { logLevel: 'debug' }],
  [['-h'], { help: true }],
])('%j', (args, changes) => {
  expect(parseFlags(args)).toEqual({ ...initial, ...changes });
});

test('metrics and probes can be left out', () => {
  const { metrics: _m, health: _h, ...rest } = initial;
  expect(parseFlags(['-metrics-bind-address=0', '-health-probe-bind-address=0'])).toEqual(rest);
});

test.each([
  [['-leader-elekt'], /there is no flag -leader-elekt; -help/],
  [['start'], /there is no flag start/],
  [['-constructor'], /there is no flag/],
  [['-ca-file'], /-ca-file lacks its value/],
  [['-leader-elect=yes'], /-leader-elect is true or false, not "yes"/],
  [['-metrics-bind-address=8080'], /HOST:PORT, :PORT or 0, not "8080"/],
  [['-metrics-bind-address=:99999'], /HOST:PORT/],
  [['-zap-log-level=loud'], /not "loud"/],
])('%j is refused', (args, message) => {
  expect(() => parseFlags(args)).toThrow(message);
});
