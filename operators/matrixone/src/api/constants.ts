/** Names that other software, volumes on disk and live objects hold on to: they must never change. */

export const GROUP = 'core.matrixorigin.io';
export const VERSION = 'v1alpha1';

/** Labels that every child and every pod of a set carries; also the selector of its services and workloads. */
export const LABEL_NAMESPACE = 'matrixorigin.io/namespace';
export const LABEL_INSTANCE = 'matrixorigin.io/instance';
export const LABEL_COMPONENT = 'matrixorigin.io/component';
/** The MatrixOneCluster a set and its pods belong to. */
export const LABEL_CLUSTER = 'matrixorigin.io/cluster';

/** On a BucketClaim: identifies the S3 path across namespaces. */
export const LABEL_BUCKET_ID = 'matrixorigin.io/bucket-unique-id';

/** On a log pod taken out of service with strategy Orphan, kept for a post-mortem. */
export const LABEL_ACTION_REQUIRED = 'matrixorigin.io/action-required';
export const LABEL_LOGSET_OWNER = 'matrixorigin.io/logset-owner';
export const FINALIZER_CONFIRM_DELETION = 'matrixorigin.io/confirm-deletion';

/** On a MatrixOneCluster: comma-separated names of CN groups whose number of nodes a scaler decides, `*` for all; on their CNSets a mark. */
export const ANNOTATION_SCALED_GROUPS = 'matrixorigin.io/autoscaled-groups';
/** On a LogSet: comma-separated names of failed pods that may be replaced although the quorum does not allow it. */
export const ANNOTATION_CONFIRM_FAILOVER = 'matrixorigin.io/confirm-failover';
/** On the StatefulSet of log stores: when one was last taken away, RFC 3339. */
export const ANNOTATION_SCALED_IN_AT = 'matrixorigin.io/scaled-in-at';
/** On a LogSet: JSON list of `{ordinal, replicaId}`, decided once and kept for ever. */
export const ANNOTATION_BOOTSTRAP = 'logset.matrixorigin.io/bootstrap';
export const ANNOTATION_SEMANTIC_VERSION = 'matrixorigin.io/semantic-version';
export const ANNOTATION_OPERATOR_VERSION = 'matrixorigin.io/operator-version';
export const ANNOTATION_CONFIG_SUFFIX = 'matrixorigin.io/config-suffix';
export const ANNOTATION_PROMETHEUS_SCRAPE = 'prometheus.io/scrape';
export const ANNOTATION_PROMETHEUS_PORT = 'prometheus.io/port';
export const ANNOTATION_CN_LABEL = 'matrixone.cloud/cn-label';
export const LABEL_CN_UUID = 'matrixone.cloud/cn-uuid';
export const ANNOTATION_CN_STATE = 'matrixorigin.io/cn-state';
export const ANNOTATION_STORE_CORDON = 'matrixorigin.io/store-cordon';
export const ANNOTATION_DRAINING_START = 'matrixorigin.io/store-draining-start';
export const ANNOTATION_LOCK_RESTART = 'matrixorigin.io/lock-restart';
export const ANNOTATION_DIAGNOSE_DRAINING = 'matrixorigin.io/diagnos-draining';
export const FINALIZER_CN_DRAINING = 'matrixorigin.io/cn-draining';
/** Of a LogSet whose HAKeeper does not answer though its stores are up; there only while it is so. */
export const CONDITION_HAKEEPER_SILENT = 'HaKeeperSilent';
/** Pod condition that gates a CN's readiness. */
export const CONDITION_CN_STORE = 'matrixorigin.io/cn-store';
export const ANNOTATION_POOL_MANAGEMENT_POLICY = 'pool.matrixorigin.io/management-policy';
export const ANNOTATION_POOL_IN_PLACE_ROLLING = 'pool.matrixorigin.io/in-place-rolling';
/** On a CNClaim: the CNPool that was chosen for it, as it named none. */
export const ANNOTATION_POOL_CHOSEN = 'pool.matrixorigin.io/chosen';
/** On a MatrixOneCluster: non-empty means hands off. */
export const ANNOTATION_SKIP_SYNC = 'matrixorigin.io/skip-sync';
export const ANNOTATION_RESTORE_COMPLETE = 'matrixorigin.io/restore-complete';
/** On a RestoreJob, `y`: it waits until its cluster has taken note of it. */
export const ANNOTATION_HELD = 'matrixorigin.io/held';
/** On a Job of a backup or restore, `y`: it was let run, once. */
export const ANNOTATION_STARTED = 'matrixorigin.io/started';

export const FINALIZER_LOGSET = 'matrixorigin.io/logset';
export const FINALIZER_DNSET = 'matrixorigin.io/dnset';
export const FINALIZER_CNSET = 'matrixorigin.io/cnset';
export const FINALIZER_PROXYSET = 'matrixorigin.io/proxyset';
export const FINALIZER_WEBUI = 'matrixorigin.io/webui';
export const FINALIZER_CLUSTER = 'matrixorigin.io/matrixonecluster';
export const FINALIZER_BACKUP_JOB = 'matrixorigin.io/backupjob';
export const FINALIZER_RESTORE_JOB = 'matrixorigin.io/restorejob';
export const FINALIZER_CN_STORE = 'matrixorigin.io/cnstore';

/** OpenKruise's own marks on pods and CloneSets. */
export const KRUISE_LIFECYCLE_STATE = 'lifecycle.apps.kruise.io/state';
export const KRUISE_FORCE_SPECIFIED_DELETE = 'apps.kruise.io/force-specified-delete';
export const KRUISE_INSTANCE_ID = 'apps.kruise.io/cloneset-instance-id';

export const PORT_RAFT = 32000;
export const PORT_LOG_SERVICE = 32001;
export const PORT_GOSSIP = 32002;
export const PORT_LOGTAIL = 32003;
export const PORT_TN_SERVICE = 41010;
export const PORT_LOCK_SERVICE = 6003;
export const PORT_SQL = 6001;
export const PORT_CN_RPC = 6002;
export const PORT_METRIC = 7001;
export const PORT_BACKUP_STATUS = 8080;
export const PORT_WEBUI = 8001;
export const PORT_WEBUI_BACKEND = 8007;

export const PATH_DATA_VOLUME = '/var/lib/matrixone';
export const PATH_DATA = '/var/lib/matrixone/data';
export const PATH_DISK_CACHE = '/var/lib/matrixone/disk-cache';
export const PATH_CONFIG = '/etc/matrixone/config';
export const PATH_LOG_CONFIG = '/etc/logservice';
export const PATH_BOOTSTRAP = '/etc/bootstrap';
export const PATH_GOSSIP = '/etc/gossip';
export const PATH_S3_CERTIFICATES = '/etc/s3-ssl';
export const PATH_BINARY_FS = '/matrixone/bin';

export const VOLUME_DATA = 'mo-data';
export const VOLUME_CONFIG = 'config';
export const VOLUME_BOOTSTRAP = 'bootstrap';
export const VOLUME_GOSSIP = 'gossip';
export const VOLUME_S3_CERTIFICATES = 's3-ssl';
export const VOLUME_BINARY_FS = 'tmpfs';
export const MAIN_CONTAINER = 'main';
