/**
 * What runs inside of the network namespace that joins those of pods. Sockets that are made here belong to this namespace wherever they
 * are used: the program that asked for them uses them itself. Ends with that program.
 */
import { type ChildProcess, execFile, type SendHandle, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { Turns } from '../../turns.ts';
import { gateway, type NamespaceAnswer, type NamespaceRequest } from './protocol.ts';

const bridge = 'pods';
const hardwareAddress = '0a:58:a9:fe:01:01';
/** Processes that keep the namespaces of pods, by the name of their link. */
const keepers = new Map<string, ChildProcess>();
/** Links by their address. */
const links = new Map<string, string>();
/** Who asks may not have waited for the answer to what was asked before. */
const addresses = new Turns();

function answer(message: NamespaceAnswer, handle?: SendHandle, sent?: () => void): void {
  process.send?.(message, handle, {}, () => sent?.());
}

/** Runs a program to its end with a text as its input. */
function run(command: readonly string[], input: string): Promise<void> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, (error, _out, complaint) => {
      if (error) reject(new Error(`${program}: ${complaint.trim() || error.message}`));
      else resolve();
    });
    child.stdin?.on('error', () => {}).end(input);
  });
}

const ip = (...lines: readonly string[]): Promise<void> => run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);

const set = (name: string, value: string) => writeFileSync(`/proc/sys/net/ipv4/${name}`, value);

/** Addresses of this machine's Services must be routable here, which the kernel does not take for granted. */
async function prepare(): Promise<void> {
  await ip(
    'link set lo up',
    // A bridge without one takes that of some pod, and another one when that leaves; the others would not find it then.
    `link add ${bridge} address ${hardwareAddress} type bridge`,
    `addr add ${gateway}/32 dev ${bridge}`,
    `link set ${bridge} up`,
  );
  set('ip_forward', '1');
  for (const device of ['all', bridge]) {
    set(`conf/${device}/route_localnet`, '1');
    // Who is told a shorter way remembers where a pod was, also when its address has come to another.
    set(`conf/${device}/send_redirects`, '0');
  }
}

/** What is set up in the namespace of a pod, as commands of `ip`. */
const podNetwork = (address: string): readonly string[] => [
  'link set lo up',
  // Less than usual of 127.0.0.0/8 is the pod's own: what is above leads to Services.
  'addr del 127.0.0.1/8 dev lo',
  'addr add 127.0.0.1/10 dev lo',
  `addr add ${address}/32 dev eth0`,
  'link set eth0 up',
  `route add ${gateway} dev eth0 scope link`,
  `route add default via ${gateway} dev eth0 src ${address}`,
];

/** Any port may be listened at in a pod, as container runtimes have it. */
const podSettings = ['ip_unprivileged_port_start=0', 'conf/all/route_localnet=1', 'conf/eth0/route_localnet=1'];

/** Starts a process in a namespace of its own. It ends with its input, which ends with this process at the latest. */
async function keep(link: string): Promise<number> {
  const keeper = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  keepers.set(link, keeper);
  // What it is told comes back once the namespace is there.
  keeper.stdin?.on('error', () => {}).write('\n');
  await new Promise((resolve, reject) => {
    keeper.stdout?.once('data', resolve);
    keeper.once('error', reject).once('exit', () => reject(new Error('unshare --net is not allowed')));
  });
  return keeper.pid ?? 0;
}

async function addPod(link: string, address: string): Promise<number> {
  const former = links.get(address);
  if (former !== undefined) await removePod(former, address);
  links.set(address, link);
  try {
    const pid = await keep(link);
    await ip(
      `link add ${link} type veth peer name eth0 netns ${pid}`,
      `link set ${link} master ${bridge} up`,
      `route replace ${address}/32 dev ${bridge}`,
    );
    const script = podSettings
      .map((text) => text.split('='))
      .map(([name, value]) => `echo ${value} > /proc/sys/net/ipv4/${name}`);
    await run(
      ['nsenter', `--net=/proc/${pid}/ns/net`, 'sh', '-ec', `${script.join('; ')}; exec ip -batch -`],
      `${podNetwork(address).join('\n')}\n`,
    );
    return pid;
  } catch (error) {
    await removePod(link, address);
    throw error;
  }
}

/** Removes something as long as a file of the kernel about this namespace speaks of it: it may have gone by itself. */
async function drop(file: 'dev' | 'route', word: string, command: string): Promise<void> {
  const there = () => readFileSync(`/proc/self/net/${file}`, 'utf8').includes(word);
  if (!there()) return;
  await ip(command).catch((error: unknown) => {
    if (there()) throw error;
  });
}

async function removePod(link: string, address: string): Promise<void> {
  // The other end goes along; the namespace goes with the last process in it.
  await drop('dev', `${link}:`, `link del ${link}`);
  await drop('route', hexadecimal(address), `route del ${address}/32 dev ${bridge}`);
  // What is remembered of an address that nobody has is forgotten by itself in time.
  await ip(`neigh flush to ${address} dev ${bridge}`).catch(() => {});
  keepers.get(link)?.stdin?.end();
  keepers.delete(link);
  if (links.get(address) === link) links.delete(address);
}

/** An address as the kernel's table of routes has it: backwards. */
const hexadecimal = (address: string) =>
  address
    .split('.')
    .reverse()
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();

function listen(id: number, host: string, port: number): void {
  const server = createServer((socket) => socket.destroy());
  server.once('error', (error) => fail(id, error));
  server.listen({ host, port }, () => answer({ id }, server, () => server.close()));
}

function bind(id: number, address: string, port: number): void {
  const socket = createSocket('udp4');
  socket.once('error', (error) => fail(id, error));
  socket.bind({ address, port, exclusive: true }, () => answer({ id }, socket, () => socket.close()));
}

function connect(id: number, host: string, port: number): void {
  const socket = createConnection({ host, port, allowHalfOpen: true, noDelay: true });
  // Nothing is read here: it belongs to who asked.
  socket.pause();
  socket.once('error', (error) => fail(id, error));
  socket.once('connect', () => answer({ id }, socket));
}

function fail(id: number, error: unknown): void {
  const { message, code } = error as NodeJS.ErrnoException;
  answer({ id, error: { message, ...(code === undefined ? {} : { code }) } });
}

async function serve(request: NamespaceRequest): Promise<void> {
  const { id } = request;
  try {
    switch (request.kind) {
      case 'add':
        return answer({ id, pid: await addresses.take(request.address, () => addPod(request.link, request.address)) });
      case 'remove':
        await addresses.take(request.address, () => removePod(request.link, request.address));
        return answer({ id });
      case 'listen':
        return listen(id, request.address, request.port);
      case 'bind':
        return bind(id, request.address, request.port);
      case 'connect':
        return connect(id, request.address, request.port);
    }
  } catch (error) {
    fail(id, error);
  }
}

process.on('message', (request: NamespaceRequest) => void serve(request));
process.on('disconnect', () => process.exit());
prepare().then(
  () => answer({ id: 0 }),
  (error: unknown) => fail(0, error),
);
