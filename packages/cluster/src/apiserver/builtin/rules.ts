import type { Strategy } from '../types.ts';
import { dnsLabel, pathSegment } from './shared/names.ts';

function set(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Kinds whose `metadata.generation` is kept. */
const withGeneration = set(`
  /pods /podtemplates /replicationcontrollers
  apps/daemonsets apps/deployments apps/replicasets apps/statefulsets batch/cronjobs batch/jobs
  autoscaling/horizontalpodautoscalers policy/poddisruptionbudgets scheduling.k8s.io/priorityclasses
  networking.k8s.io/ingresses networking.k8s.io/ingressclasses networking.k8s.io/networkpolicies
  discovery.k8s.io/endpointslices apiextensions.k8s.io/customresourcedefinitions
  admissionregistration.k8s.io/mutatingadmissionpolicies admissionregistration.k8s.io/mutatingadmissionpolicybindings
  admissionregistration.k8s.io/mutatingwebhookconfigurations admissionregistration.k8s.io/validatingadmissionpolicies
  admissionregistration.k8s.io/validatingadmissionpolicybindings
  admissionregistration.k8s.io/validatingwebhookconfigurations
  flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
  resource.k8s.io/deviceclasses resource.k8s.io/devicetaintrules resource.k8s.io/resourceslices
`);

/** Kinds whose PUT must name the resourceVersion it replaces. */
const versionRequired = set(`
  apiextensions.k8s.io/customresourcedefinitions coordination.k8s.io/leases policy/poddisruptionbudgets
  node.k8s.io/runtimeclasses storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/csistoragecapacities
  storage.k8s.io/volumeattachments apiregistration.k8s.io/apiservices
  admissionregistration.k8s.io/mutatingadmissionpolicies admissionregistration.k8s.io/mutatingadmissionpolicybindings
  admissionregistration.k8s.io/mutatingwebhookconfigurations admissionregistration.k8s.io/validatingadmissionpolicies
  admissionregistration.k8s.io/validatingadmissionpolicybindings
  admissionregistration.k8s.io/validatingwebhookconfigurations
  certificates.k8s.io/clustertrustbundles certificates.k8s.io/podcertificaterequests
  storagemigration.k8s.io/storageversionmigrations resource.k8s.io/devicetaintrules
`);

/** Kinds whose PUT to a missing name creates. */
const createdByPut = set(`
  /services /endpoints /events events.k8s.io/events /limitranges coordination.k8s.io/leases node.k8s.io/runtimeclasses
  rbac.authorization.k8s.io/roles rbac.authorization.k8s.io/clusterroles
  rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/clusterrolebindings
`);

/** Kinds whose DELETE answers the object even when it is gone. */
const deletedObjectAnswered = set(`
  /pods /persistentvolumeclaims /persistentvolumes /serviceaccounts /namespaces /services /resourcequotas /podtemplates
  storage.k8s.io/storageclasses storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/volumeattachments
  storage.k8s.io/volumeattributesclasses
  resource.k8s.io/deviceclasses resource.k8s.io/resourceclaims resource.k8s.io/resourceclaimtemplates
  resource.k8s.io/resourceslices
`);

const labelNames = set('/namespaces /services apps/statefulsets');

/** Kinds whose names only have to be one segment of a path. */
const freelyNamed = set('policy/poddisruptionbudgets /events');

/** The rules that are plain facts about a kind (`spec/embedded.md` §1.7, §1.9); `id` is `group/plural`. */
export function plainRules(id: string): Strategy {
  return {
    generation: withGeneration.has(id),
    unconditionalUpdate: !versionRequired.has(id),
    createOnUpdate: createdByPut.has(id),
    deleteReturnsObject: deletedObjectAnswered.has(id),
    defaultPropagation: id === 'batch/jobs' || id === '/replicationcontrollers' ? 'Orphan' : 'Background',
    ...(labelNames.has(id) ? { validateName: dnsLabel } : {}),
    ...(id.startsWith('rbac.authorization.k8s.io/') || freelyNamed.has(id) ? { validateName: pathSegment } : {}),
  };
}
