export interface PortAddress {
  readonly address: string;
  readonly port: number;
}

/** A port that is listened at for a Service. */
export interface ListeningPort {
  /** Rejects when it cannot be listened at. */
  open(): Promise<void>;
  /** The endpoints are others now. */
  updated(): void;
  /** Nothing new comes in from now on. */
  close(): void;
}
