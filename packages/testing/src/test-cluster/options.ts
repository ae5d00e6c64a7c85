/** Which API server a test runs on. */
export type Server = 'embedded' | 'real';

/** Environment variable that holds the path of a file describing a real control plane that runs already. */
export const sharedControlPlaneFile = 'COX_CONTROL_PLANE';

/** Admission plug-ins that are on in worlds although a plain Kubernetes leaves them off: what passes here passes on stricter clusters too. */
export const strictAdmission = ['OwnerReferencesPermissionEnforcement'] as const;

/** What `COX_SERVER` says. @throws Error when it says neither `embedded` nor `real` */
export function serverFromEnv(env: NodeJS.ProcessEnv = process.env): Server {
  const said = env['COX_SERVER'] ?? 'embedded';
  if (said !== 'embedded' && said !== 'real') {
    throw new Error(`COX_SERVER is "${said}"; it must be "embedded" or "real"`);
  }
  return said;
}
