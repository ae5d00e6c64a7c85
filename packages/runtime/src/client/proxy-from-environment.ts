import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a server, by the rules of Go's clients: `HTTPS_PROXY` or `HTTP_PROXY` by the
 * scheme, not for this machine's own addresses, and not for what `NO_PROXY` lists: hosts and all below them (`.x.dev`:
 * only those below), addresses, networks (`10.0.0.0/8`), any of these with a port, or `*`.
 */
export function proxyFromEnvironment(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const secure = url.protocol === 'https:';
  const proxy = secure ? read(env, 'HTTPS_PROXY') : read(env, 'HTTP_PROXY');
  if (!proxy) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || contains('127.0.0.0/8', host) || host === '::1') return undefined;
  const target = { host, port: url.port || (secure ? '443' : '80') };
  const exempt = (read(env, 'NO_PROXY') ?? '').split(',').some((rule) => matches(rule.trim().toLowerCase(), target));
  if (exempt) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function read(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()];
}

function matches(rule: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return contains(rule, host);
  const { name, only } = withPort(rule);
  if (only !== undefined && only !== port) return false;
  if (isIP(name)) return name === host;
  const domain = name.replace(/^\*\./, '.');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function withPort(rule: string): { readonly name: string; readonly only: string | undefined } {
  const [, name = rule, only] = isIP(rule) ? [] : (/^(.+?)(?::(\d+))?$/.exec(rule) ?? []);
  return { name: name.replace(/^\[|\]$/g, ''), only };
}

function contains(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(address, Number(bits), type);
  return list.check(host, type);
}
