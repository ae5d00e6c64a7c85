/** The few bytes of gRPC and protobuf that health checks are made of: messages of one field. */

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

/** A `HealthCheckRequest`, framed. */
export function checkRequest(service: string): Buffer {
  const text = Buffer.from(service);
  const message = text.length === 0 ? text : Buffer.concat([Buffer.from([0x0a]), varint(text.length), text]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}

const states = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** The state that a framed `HealthCheckResponse` tells; `undefined` when the bytes are none. */
export function checkedState(bytes: Buffer): string | undefined {
  if (bytes.length < 5 || bytes[0] !== 0 || bytes.length < 5 + bytes.readUInt32BE(1)) return undefined;
  const message = bytes.subarray(5, 5 + bytes.readUInt32BE(1));
  if (message.length === 0) return states[0];
  if (message[0] !== 0x08 || message.length !== 2) return undefined;
  return states[message[1] ?? 0] ?? String(message[1]);
}

const codes = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** Name of a gRPC status. */
export function codeName(code: number): string {
  return codes[code] ?? `Code(${code})`;
}
