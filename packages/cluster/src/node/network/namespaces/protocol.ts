/** What the process in the network namespace is asked for, and what it answers. Sockets come along with the answer. */
export type NamespaceRequest =
  /** Makes a namespace of its own for a pod, joined with this one. Answers the id of a process that keeps it. */
  | { readonly id: number; readonly kind: 'add'; readonly link: string; readonly address: string }
  | { readonly id: number; readonly kind: 'remove'; readonly link: string; readonly address: string }
  | {
      readonly id: number;
      readonly kind: 'listen' | 'bind' | 'connect';
      readonly address: string;
      readonly port: number;
    };

export interface NamespaceAnswer {
  readonly id: number;
  readonly error?: { readonly message: string; readonly code?: string };
  readonly pid?: number;
}

/** Where packets to everything outside of a pod's own namespace go first. */
export const gateway = '169.254.1.1';
