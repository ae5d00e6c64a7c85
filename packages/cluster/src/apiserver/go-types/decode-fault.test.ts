import { describe, expect, test } from 'vitest';
import { parseLiterally } from '../request/json-number.ts';
import { faultOf } from './reads.ts';

const pod = 'io.k8s.api.core.v1.Pod';
const fault = (text: string, definition = pod) => faultOf(definition, parseLiterally(text));
const inContainer = (fields: string) => `{"spec":{"containers":[{${fields}}]}}`;

describe('what Go would not read', () => {
  test.each<[string, string]>([
    [
      inContainer('"ports":[{"containerPort":"80"}]'),
      'json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      inContainer('"resources":{"limits":"x"}'),
      'json: cannot unmarshal string into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
    ],
    [
      inContainer('"livenessProbe":{"httpGet":{"port":1.0}}'),
      'json: cannot unmarshal number 1.0 into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
    ],
    [
      '{"spec":{"volumes":[{"emptyDir":5}]}}',
      'json: cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource',
    ],
    ['{"metadata":[]}', 'json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta'],
    ['[]', 'json: cannot unmarshal array into Go value of type v1.Pod'],
  ])('%s', (text, why) => {
    expect(fault(text)).toBe(why);
  });

  test('the first fault is told, but for one that ends the reading', () => {
    const two = '{"metadata":{"name":1,"labels":2}}';
    expect(fault(two)).toMatch(/ObjectMeta\.metadata\.name of type string/);
    expect(fault('{"metadata":{"name":1,"creationTimestamp":"x"}}')).toBe(
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    );
    expect(fault(inContainer('"name":1,"resources":{"limits":{"cpu":"1x"}}'))).toMatch(/^quantities must match/);
  });

  test.each<[string, number]>([
    ['not base64!', 3],
    ['A', 0],
    ['AA=', 3],
    ['AAAA=', 4],
    ['AA==A', 4],
  ])('base64 %s stumbles at %i', (text, at) => {
    expect(fault(`{"data":{"a":"${text}"}}`, 'io.k8s.api.core.v1.Secret')).toBe(
      `illegal base64 data at input byte ${at}`,
    );
  });

  test.each<[string, string]>([
    ['2026-13-01T00:00:00Z', ': month out of range'],
    ['2026-02-30T00:00:00Z', ': day out of range'],
    ['2026-01-01T00:00:00', ' as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"'],
    ['2026-01-01T00:00:00Zx', ': extra text: "x"'],
  ])('time %s', (text, why) => {
    expect(fault(`{"metadata":{"creationTimestamp":"${text}"}}`)).toBe(`parsing time ${JSON.stringify(text)}${why}`);
  });
});

test('what Go reads has no fault', () => {
  for (const text of [
    '{"metadata":{"name":null,"labels":{"a":"b"},"creationTimestamp":"2026-02-28T23:59:59.123+01:00"},"nope":{"x":[1]}}',
    inContainer(
      '"resources":{"limits":{"cpu":1e3,"memory":0.5,"x":"1Gi"}},"readinessProbe":{"httpGet":{"port":"web"}}',
    ),
    '{"spec":{"terminationGracePeriodSeconds":-9223372036854775808,"tolerations":[{"tolerationSeconds":9007199254740993}]}}',
  ]) {
    expect(fault(text)).toBeUndefined();
  }
  expect(fault('{"data":{"a":"AA==","b":"","c":"QUJD\\n"}}', 'io.k8s.api.core.v1.Secret')).toBeUndefined();
});
