import type { Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { dgram } from '../../late-modules.ts';

/** A network that sockets can be made in: that of the machine, or one in a namespace. */
export interface Place {
  /** Different for each. */
  readonly name: string;
  /** Listens over TCP; connections may be half-open, and nothing is read of them until they are resumed. Rejects with the system's error. */
  listen(address: string, port: number): Promise<Server>;
  /** A socket for UDP; address `0.0.0.0` and port 0: any. Rejects with the system's error. */
  bind(address: string, port: number): Promise<UdpSocket>;
}

/** The network this process is in. */
export const machine: Place = {
  name: 'machine',
  listen(host, port) {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve(server);
      });
    });
  },
  bind(address, port) {
    const socket = dgram().createSocket('udp4');
    return new Promise((resolve, reject) => {
      socket.once('error', (error) => {
        socket.close();
        reject(error);
      });
      socket.bind({ address, port, exclusive: true }, () => {
        socket.removeAllListeners('error');
        resolve(socket);
      });
    });
  },
};
