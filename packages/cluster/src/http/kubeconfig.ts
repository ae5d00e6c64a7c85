export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  /** PEM of the user's certificate and key. */
  readonly cert: string;
  readonly key: string;
  /** Of the cluster, the user and the context. */
  readonly name: string;
}

/** A kubeconfig (YAML) with one cluster, one user and one context, all called `name`, and the credentials inside. Holds a secret. */
export function kubeconfigFor(options: KubeconfigOptions): string {
  const text = (value: string) => JSON.stringify(value);
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  const name = text(options.name);
  return `apiVersion: v1
kind: Config
clusters:
- name: ${name}
  cluster:
    server: ${text(options.url)}
    certificate-authority-data: ${base64(options.ca)}
users:
- name: ${name}
  user:
    client-certificate-data: ${base64(options.cert)}
    client-key-data: ${base64(options.key)}
contexts:
- name: ${name}
  context:
    cluster: ${name}
    user: ${name}
current-context: ${name}
`;
}
