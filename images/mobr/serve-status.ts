import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';

/** How a command goes. */
interface Status {
  readonly command: string;
  completed: boolean;
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Exit code of a command that a signal ended. */
const killed = 137;

function runLine(line: string, echo: Writable): Status {
  const status: Status = { command: line, completed: false, stdout: '', stderr: '', exitCode: 0 };
  const child = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      status[name] += text;
      echo.write(text);
    });
  const end = (exitCode: number, why = '') => {
    status.stderr += why;
    status.exitCode = exitCode;
    status.completed = true;
  };
  child.on('error', ({ message }) => end(127, message));
  child.on('close', (code) => end(code ?? killed));
  return status;
}

/** Runs a line of the shell and tells how it goes until it is closed. @returns what closes it, and the port */
export async function serveStatus(
  line: string,
  { host, port, echo }: { readonly host?: string | undefined; readonly port: number; readonly echo: Writable },
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(({ url }, response) => {
    const found = url === '/status';
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(found ? JSON.stringify(status) : '{}');
  });
  server.listen(port, host ?? '0.0.0.0');
  await once(server, 'listening');
  const status = runLine(line, echo);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
