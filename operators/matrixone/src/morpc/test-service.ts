import { VirtualClock } from '@coxswain/runtime/core';
import { MorpcClient, type MorpcClientOptions } from './client.ts';
import { type Decoded, type Encodable, message, plain, string, uint64 } from './protobuf/index.ts';
import type { Protocol } from './protocol.ts';
import { MorpcServer, type RequestContext } from './server.ts';
import { TestNetwork } from './test-network.ts';

const Said = message({ requestId: plain(1, uint64), text: plain(2, string) });
type In = Encodable<typeof Said>;
type Out = Decoded<typeof Said>;

const wrong = ({ text }: In) => (text === 'kill' ? 'it was told to die' : undefined);

/** A service that answers a text with a text. */
export const echo: Protocol<Out, In, Out, In> = {
  name: 'echo service',
  request: Said,
  response: Said,
  payload: false,
  wrong,
};

type Handle = (request: Out, context: RequestContext) => Promise<In | undefined> | In | undefined;

/** One client and its servers in virtual time. */
export class EchoWorld {
  readonly clock = new VirtualClock();
  readonly network = new TestNetwork();
  readonly client: MorpcClient;
  /** Why servers closed connections. */
  readonly refused: unknown[] = [];

  constructor(options: Partial<MorpcClientOptions> = {}) {
    this.client = new MorpcClient({
      clock: this.clock,
      dial: this.network.dial,
      random: { next: () => 1 },
      ...options,
    });
  }

  /** Serves `address`; by default every text comes back. */
  serve(address: string, handle: Handle = ({ text }) => ({ text })): void {
    const { clock, refused } = this;
    const server = new MorpcServer({ clock, protocol: echo, handle, onRefused: (error) => refused.push(error) });
    this.network.listen(address, (stream) => server.accept(stream));
  }

  /** A call, as what comes of it: the text, or the error. */
  say(address: string, text: string, options: { timeout?: number; signal?: AbortSignal } = {}): { outcome: unknown } {
    const seen: { outcome: unknown } = { outcome: undefined };
    this.client.call(echo, address, 'SAY', { text }, options).then(
      (answer) => {
        seen.outcome = answer.text;
      },
      (error) => {
        seen.outcome = error;
      },
    );
    return seen;
  }
}
