import type { Strategy } from '../types.ts';
import { apiServiceStrategy } from './apiregistration/api-service.ts';
import { podCertificateRequestStrategy } from './certificates/pod-certificate-request.ts';
import { signingRequestStrategy } from './certificates/signing-request.ts';
import { trustBundleStrategy } from './certificates/trust-bundle.ts';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './devices/claims.ts';
import { deviceClassStrategy } from './devices/device-class.ts';
import { resourceSliceStrategy } from './devices/resource-slice.ts';
import { deviceTaintRuleStrategy } from './devices/taint-rule.ts';
import { flowSchemaStrategy } from './flowcontrol/flow-schema.ts';
import { priorityLevelStrategy } from './flowcontrol/priority-level.ts';
import { storageVersionMigrationStrategy } from './migration/storage-version-migration.ts';
import { ipAddressStrategy } from './networking/ip-address.ts';
import { serviceCidrStrategy } from './networking/service-cidr.ts';

/** Rules of the kinds of the server's own groups: certificates, devices, flow control, addresses …; by `group/plural`. */
export const serverKinds: Readonly<Record<string, Strategy>> = {
  'apiregistration.k8s.io/apiservices': apiServiceStrategy,
  'certificates.k8s.io/certificatesigningrequests': signingRequestStrategy,
  'certificates.k8s.io/clustertrustbundles': trustBundleStrategy,
  'certificates.k8s.io/podcertificaterequests': podCertificateRequestStrategy,
  'flowcontrol.apiserver.k8s.io/flowschemas': flowSchemaStrategy,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': priorityLevelStrategy,
  'networking.k8s.io/ipaddresses': ipAddressStrategy,
  'networking.k8s.io/servicecidrs': serviceCidrStrategy,
  'resource.k8s.io/deviceclasses': deviceClassStrategy,
  'resource.k8s.io/devicetaintrules': deviceTaintRuleStrategy,
  'resource.k8s.io/resourceclaims': resourceClaimStrategy,
  'resource.k8s.io/resourceclaimtemplates': resourceClaimTemplateStrategy,
  'resource.k8s.io/resourceslices': resourceSliceStrategy,
  'storagemigration.k8s.io/storageversionmigrations': storageVersionMigrationStrategy,
};
