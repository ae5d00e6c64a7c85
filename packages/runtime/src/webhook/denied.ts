/** Thrown by a handler to refuse a request without naming a field. Answered with 403 Forbidden and the message. */
export class Denied extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Denied';
  }
}
