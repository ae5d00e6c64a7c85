import type { Socket } from 'node:net';
import type { Clock } from '@coxswain/runtime/core';

/** How bytes pass at present. */
export interface Weather {
  /** Milliseconds. */
  delay: number;
  /** Towards the client; `undefined`: as fast as it goes. */
  bytesPerSecond: number | undefined;
}

/** Bytes on their way before the sender is told to wait. */
const enough = 65_536;

/** One direction of a connection: bytes arrive in order, late or slowly. */
export class Pipe {
  readonly #clock: Clock;
  readonly #weather: Weather;
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #paced: boolean;
  #due = 0;
  #underway = 0;

  /** @param paced whether the pace of the weather is for this direction */
  constructor(clock: Clock, weather: Weather, from: Socket, to: Socket, paced: boolean) {
    this.#clock = clock;
    this.#weather = weather;
    this.#from = from;
    this.#to = to;
    this.#paced = paced;
    from.once('end', () => this.#underway === 0 && to.end());
    to.on('drain', () => this.#underway < enough && from.resume());
  }

  push(chunk: Buffer): void {
    const { delay, bytesPerSecond } = this.#weather;
    const now = this.#clock.monotonic();
    const pace = this.#paced && bytesPerSecond ? (chunk.length / bytesPerSecond) * 1000 : 0;
    this.#due = Math.max(this.#due, now + delay) + pace;
    if (this.#due <= now && this.#underway === 0) this.#write(chunk);
    else this.#later(chunk, this.#due - now);
  }

  #later(chunk: Buffer, ms: number): void {
    this.#underway += chunk.length;
    if (this.#underway >= enough) this.#from.pause();
    this.#clock.after(ms, () => {
      this.#underway -= chunk.length;
      if (this.#to.destroyed) return;
      this.#write(chunk);
      if (this.#underway < enough) this.#from.resume();
      if (this.#underway === 0 && this.#from.readableEnded) this.#to.end();
    });
  }

  #write(chunk: Buffer): void {
    if (!this.#to.destroyed && !this.#to.write(chunk)) this.#from.pause();
  }
}
