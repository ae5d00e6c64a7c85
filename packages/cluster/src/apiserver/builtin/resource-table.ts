/** One built-in resource in short form. Lists are separated by spaces. */
export interface ResourceRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Default: all eight. */
  readonly verbs?: string;
  /** `status`, `scale`, or `name:[group/version/]Kind:verb+verb`. */
  readonly subresources: readonly string[];
}

type ShortRow = readonly [plural: string, kind: string, flags?: string, subresources?: string];

/**
 * Flags: `cluster` for cluster scope, `short=a,b`, `in=category`, `verbs=a,b`. The order is that of discovery.
 */
const groups: readonly (readonly [groupVersion: string, rows: readonly ShortRow[]])[] = [
  [
    'v1',
    [
      ['bindings', 'Binding', 'verbs=create'],
      ['componentstatuses', 'ComponentStatus', 'cluster short=cs verbs=get,list'],
      ['configmaps', 'ConfigMap', 'short=cm'],
      ['endpoints', 'Endpoints', 'short=ep'],
      ['events', 'Event', 'short=ev'],
      ['limitranges', 'LimitRange', 'short=limits'],
      [
        'namespaces',
        'Namespace',
        'cluster short=ns verbs=create,delete,get,list,patch,update,watch',
        'finalize:Namespace:update status',
      ],
      ['nodes', 'Node', 'cluster short=no', 'proxy:NodeProxyOptions:create+delete+get+patch+update status'],
      ['persistentvolumeclaims', 'PersistentVolumeClaim', 'short=pvc', 'status'],
      ['persistentvolumes', 'PersistentVolume', 'cluster short=pv', 'status'],
      [
        'pods',
        'Pod',
        'short=po in=all',
        'attach:PodAttachOptions:create+get binding:Binding:create ephemeralcontainers:Pod:get+patch+update ' +
          'eviction:policy/v1/Eviction:create exec:PodExecOptions:create+get log:Pod:get ' +
          'portforward:PodPortForwardOptions:create+get proxy:PodProxyOptions:create+delete+get+patch+update ' +
          'resize:Pod:get+patch+update status',
      ],
      ['podtemplates', 'PodTemplate'],
      ['replicationcontrollers', 'ReplicationController', 'short=rc in=all', 'scale status'],
      ['resourcequotas', 'ResourceQuota', 'short=quota', 'status'],
      ['secrets', 'Secret'],
      ['serviceaccounts', 'ServiceAccount', 'short=sa', 'token:authentication.k8s.io/v1/TokenRequest:create'],
      ['services', 'Service', 'short=svc in=all', 'proxy:ServiceProxyOptions:create+delete+get+patch+update status'],
    ],
  ],
  ['apiregistration.k8s.io/v1', [['apiservices', 'APIService', 'cluster in=api-extensions', 'status']]],
  [
    'apps/v1',
    [
      ['controllerrevisions', 'ControllerRevision'],
      ['daemonsets', 'DaemonSet', 'short=ds in=all', 'status'],
      ['deployments', 'Deployment', 'short=deploy in=all', 'scale status'],
      ['replicasets', 'ReplicaSet', 'short=rs in=all', 'scale status'],
      ['statefulsets', 'StatefulSet', 'short=sts in=all', 'scale status'],
    ],
  ],
  ['events.k8s.io/v1', [['events', 'Event', 'short=ev']]],
  [
    'authentication.k8s.io/v1',
    [
      ['selfsubjectreviews', 'SelfSubjectReview', 'cluster verbs=create'],
      ['tokenreviews', 'TokenReview', 'cluster verbs=create'],
    ],
  ],
  [
    'authorization.k8s.io/v1',
    [
      ['localsubjectaccessreviews', 'LocalSubjectAccessReview', 'verbs=create'],
      ['selfsubjectaccessreviews', 'SelfSubjectAccessReview', 'cluster verbs=create'],
      ['selfsubjectrulesreviews', 'SelfSubjectRulesReview', 'cluster verbs=create'],
      ['subjectaccessreviews', 'SubjectAccessReview', 'cluster verbs=create'],
    ],
  ],
  ['autoscaling/v2', [['horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'short=hpa in=all', 'status']]],
  ['autoscaling/v1', [['horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'short=hpa in=all', 'status']]],
  [
    'batch/v1',
    [
      ['cronjobs', 'CronJob', 'short=cj in=all', 'status'],
      ['jobs', 'Job', 'in=all', 'status'],
    ],
  ],
  [
    'certificates.k8s.io/v1',
    [
      [
        'certificatesigningrequests',
        'CertificateSigningRequest',
        'cluster short=csr',
        'approval:CertificateSigningRequest:get+patch+update status',
      ],
      ['clustertrustbundles', 'ClusterTrustBundle', 'cluster'],
      ['podcertificaterequests', 'PodCertificateRequest', '', 'status'],
    ],
  ],
  [
    'networking.k8s.io/v1',
    [
      ['ingressclasses', 'IngressClass', 'cluster'],
      ['ingresses', 'Ingress', 'short=ing', 'status'],
      ['ipaddresses', 'IPAddress', 'cluster short=ip'],
      ['networkpolicies', 'NetworkPolicy', 'short=netpol'],
      ['servicecidrs', 'ServiceCIDR', 'cluster', 'status'],
    ],
  ],
  ['policy/v1', [['poddisruptionbudgets', 'PodDisruptionBudget', 'short=pdb', 'status']]],
  [
    'rbac.authorization.k8s.io/v1',
    [
      ['clusterrolebindings', 'ClusterRoleBinding', 'cluster'],
      ['clusterroles', 'ClusterRole', 'cluster'],
      ['rolebindings', 'RoleBinding'],
      ['roles', 'Role'],
    ],
  ],
  [
    'storage.k8s.io/v1',
    [
      ['csidrivers', 'CSIDriver', 'cluster'],
      ['csinodes', 'CSINode', 'cluster', 'status'],
      ['csistoragecapacities', 'CSIStorageCapacity'],
      ['storageclasses', 'StorageClass', 'cluster short=sc'],
      ['volumeattachments', 'VolumeAttachment', 'cluster', 'status'],
      ['volumeattributesclasses', 'VolumeAttributesClass', 'cluster short=vac'],
    ],
  ],
  [
    'admissionregistration.k8s.io/v1',
    [
      ['mutatingadmissionpolicies', 'MutatingAdmissionPolicy', 'cluster in=api-extensions'],
      ['mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', 'cluster in=api-extensions'],
      ['mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', 'cluster in=api-extensions'],
      ['validatingadmissionpolicies', 'ValidatingAdmissionPolicy', 'cluster in=api-extensions', 'status'],
      ['validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', 'cluster in=api-extensions'],
      ['validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', 'cluster in=api-extensions'],
    ],
  ],
  [
    'apiextensions.k8s.io/v1',
    [['customresourcedefinitions', 'CustomResourceDefinition', 'cluster short=crd,crds in=api-extensions', 'status']],
  ],
  ['scheduling.k8s.io/v1', [['priorityclasses', 'PriorityClass', 'cluster short=pc']]],
  ['coordination.k8s.io/v1', [['leases', 'Lease']]],
  ['node.k8s.io/v1', [['runtimeclasses', 'RuntimeClass', 'cluster']]],
  ['discovery.k8s.io/v1', [['endpointslices', 'EndpointSlice']]],
  [
    'resource.k8s.io/v1',
    [
      ['deviceclasses', 'DeviceClass', 'cluster'],
      ['devicetaintrules', 'DeviceTaintRule', 'cluster', 'status'],
      ['resourceclaims', 'ResourceClaim', '', 'status'],
      ['resourceclaimtemplates', 'ResourceClaimTemplate'],
      ['resourceslices', 'ResourceSlice', 'cluster'],
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1',
    [
      ['flowschemas', 'FlowSchema', 'cluster', 'status'],
      ['prioritylevelconfigurations', 'PriorityLevelConfiguration', 'cluster', 'status'],
    ],
  ],
  ['storagemigration.k8s.io/v1', [['storageversionmigrations', 'StorageVersionMigration', 'cluster', 'status']]],
];

function rowOf(groupVersion: string, [plural, kind, flags = '', subresources = '']: ShortRow): ResourceRow {
  const slash = groupVersion.indexOf('/');
  const words = flags.split(' ').filter((word) => word !== '');
  const value = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const verbs = value('verbs')?.replaceAll(',', ' ');
  return {
    group: slash < 0 ? '' : groupVersion.slice(0, slash),
    version: groupVersion.slice(slash + 1),
    kind,
    plural,
    namespaced: !words.includes('cluster'),
    shortNames: value('short')?.split(',') ?? [],
    categories: value('in')?.split(',') ?? [],
    ...(verbs === undefined ? {} : { verbs }),
    subresources: subresources.split(' ').filter((word) => word !== ''),
  };
}

/** All built-in resources, in discovery order. */
export const resourceTable: readonly ResourceRow[] = groups.flatMap(([groupVersion, rows]) =>
  rows.map((row) => rowOf(groupVersion, row)),
);
