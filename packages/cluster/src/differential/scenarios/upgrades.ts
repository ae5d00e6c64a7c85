import { core, get, post } from '../build.ts';
import type { Area } from '../types.ts';

const pods = core('pods');
const maps = core('configmaps');
const bearer = 'base64url.bearer.authorization.k8s.io.';

/** A handshake of RFC 6455 with other words than usual: an empty value leaves the header out. */
function handshake(changes: Readonly<Record<string, string>> = {}): { readonly headers: Record<string, string> } {
  const usual = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    origin: 'https://page',
  };
  return { headers: Object.fromEntries(Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== '')) };
}

const offering = (protocols: string, more: Readonly<Record<string, string>> = {}) =>
  handshake({ 'sec-websocket-protocol': protocols, ...more });

/** A token shows who somebody is only when no certificate does. */
const withToken = (protocols: string) => offering(protocols, { authorization: 'none' });

/** Handshakes that the server itself refuses, and what is answered as without one. */
export const upgrades: Area = {
  name: 'upgrades',
  scenarios: [
    {
      title: 'watches over WebSocket',
      steps: [
        get(`${maps}?watch=1`, handshake({ origin: '' })),
        get(`${maps}?watch=1`, handshake({ origin: 'null' })),
        get(`${maps}?watch=1`, handshake({ origin: '::::' })),
        get(`${maps}?watch=1`, offering('a, b')),
        get(`${maps}?watch=1`, offering('a, b', { origin: '' })),
        get(`${maps}?watch=1`, handshake({ 'sec-websocket-version': '8' })),
        get(`${maps}?watch=1`, handshake({ 'sec-websocket-version': '' })),
        get(`${maps}?watch=1`, handshake({ 'sec-websocket-key': '' })),
        get(`${maps}?watch=1&resourceVersion=x`, handshake()),
        get(`${maps}?watch=1&fieldSelector=x=y`, handshake()),
        get(`${maps}?watch=1`, { accept: 'application/yaml', ...handshake() }),
        get(`${maps}?watch=1`, { accept: 'text/html', ...handshake() }),
        get(`${maps}?watch=1`, handshake({ 'impersonate-user': 'ann' })),
      ],
    },
    {
      title: 'what has no form for WebSocket',
      steps: [
        get(maps, offering('binary.k8s.io')),
        get(`${maps}/missing`, offering('binary.k8s.io')),
        get('/livez', offering('any')),
        get('/nothing', handshake()),
      ],
    },
    {
      title: 'logs over WebSocket',
      steps: [
        post(pods, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'waiting' },
          spec: { containers: [{ name: 'main', image: 'busybox' }] },
        }),
        get(`${pods}/waiting/log`, offering('binary.k8s.io')),
        get(`${pods}/waiting/log`, offering('unknown')),
        get(`${pods}/waiting/log?container=other`, offering('binary.k8s.io')),
        get(`${pods}/waiting/log`, offering('binary.k8s.io', { 'impersonate-user': 'ann' })),
      ],
    },
    {
      title: 'watches that cannot be written as asked',
      steps: [
        get(`${maps}?watch=1`, { accept: 'application/yaml', headers: { 'x-d': '1' } }),
        get(`${maps}?watch=1`, { accept: 'text/html', headers: { 'x-d': '1' } }),
        get(`${maps}?watch=1`, { accept: 'text/html, application/yaml', headers: { 'x-d': '1' } }),
      ],
    },
    {
      title: 'tokens among the subprotocols',
      steps: [
        get(`${pods}/p/exec`, withToken(`${bearer}bm9uc2Vuc2U, v4.channel.k8s.io`)),
        get(`${pods}/p/exec`, withToken(`${bearer}bm9uc2Vuc2U`)),
        get(`${pods}/p/exec`, withToken(`${bearer}YQ, ${bearer}Yg, v4.channel.k8s.io`)),
        get(`${pods}/p/exec`, withToken(`${bearer}YQ==, v4.channel.k8s.io`)),
        get(`${pods}/p/exec`, withToken(`${bearer}__8, v4.channel.k8s.io`)),
        get(`${pods}/p/exec`, withToken('v4.channel.k8s.io')),
      ],
    },
  ],
};
