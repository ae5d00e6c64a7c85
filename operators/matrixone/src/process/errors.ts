/** The process cannot be started as it was told to; the message names the flag, file or variable and what to do. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}
