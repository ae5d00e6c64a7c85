/** Marks of bucket claims. Live objects carry them: they must never change. */

/** On a claim as long as there may be data at its path. */
export const FINALIZER_BUCKET_DATA = 'matrixorigin.io/bucket-data-finalizer';
/** Of the controller of claims. */
export const FINALIZER_BUCKET_CLAIM = 'matrixorigin.io/BucketClaim';
/** On a claim, `true`: some node of the database has run, so there may be data. */
export const ANNOTATION_ANY_INSTANCE_RUNNING = 'bucket.matrixorigin.io/any-instance-running';
/** On a claim: of which state of its log service the credentials are that the operator keeps beside it. */
export const ANNOTATION_CREDENTIALS_KEPT = 'bucket.matrixorigin.io/credentials-kept';
/** On a log service: why what leads to its data is not kept; there only while it is so. */
export const CONDITION_CREDENTIALS_NOT_KEPT = 'CredentialsNotKept';
/** On what cleans a claim from another namespace: the claim's UID. */
export const LABEL_CLAIM_UID = 'bucket.matrixorigin.io/claim-uid';
