export const accountAnnotation = 'kubernetes.io/service-account.name';
export const uidAnnotation = 'kubernetes.io/service-account.uid';

/** The secrets that hold tokens. */
export const secretScope = { fields: 'type=kubernetes.io/service-account-token' } as const;
