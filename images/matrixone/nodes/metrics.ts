import { createServer } from 'node:http';
import { ServiceEnd } from './surroundings.ts';

/** Serves `/metrics`, as the real one does where metrics are asked for: enough to be scraped. @throws ServiceEnd when the port is taken */
export function serveMetrics(port: number, host: string, type: string): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url === '/metrics') response.end(`mo_up{type="${type}"} 1\n`);
    else response.writeHead(404).end();
  });
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ServiceEnd(2, `cannot serve metrics on ${host}:${port}: ${error.message}`)),
    );
    server.listen(port, host, () => resolve({ close }));
  });
}
