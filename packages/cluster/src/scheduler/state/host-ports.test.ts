import { expect, test } from 'vitest';
import { HostPorts } from './host-ports.ts';

const port = (hostPort: number, hostIP?: string, protocol = 'TCP') => ({
  containerPort: 1,
  hostPort,
  protocol,
  ...(hostIP ? { hostIP } : {}),
});

test('a port on every address clashes with the same port on any, of the same protocol', () => {
  const ports = new HostPorts();
  ports.add([port(80, '127.0.0.1')]);
  expect(ports.clashes([port(80)])).toBe(true);
  expect(ports.clashes([port(80, '0.0.0.0')])).toBe(true);
  expect(ports.clashes([port(80, '127.0.0.1')])).toBe(true);
  expect(ports.clashes([port(80, '127.0.0.2')])).toBe(false);
  expect(ports.clashes([port(80, undefined, 'UDP')])).toBe(false);
  ports.add([port(81)]);
  expect(ports.clashes([port(81, '127.0.0.2')])).toBe(true);
  ports.remove([port(81)]);
  expect(ports.clashes([port(81, '127.0.0.2')])).toBe(false);
});
