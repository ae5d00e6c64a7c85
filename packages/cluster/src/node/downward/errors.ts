/** A field that was asked for cannot be given; the message is the kubelet's. */
export class FieldError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FieldError';
  }
}
