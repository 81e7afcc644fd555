import { CDS } from '../../xds/resource-type';
import type { Field } from '../field';
import { nackBy } from '../reactions';
import { type Report, type Rule, rulesOf } from '../rule';
import { measured } from './messages/rule-of-messages';

const httpOptions = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/** Conditions on health checks that Envoy rejects and that are no constraints of the protos. */
export const envoyHealthCheckRules: readonly Rule[] = [
  rulesOf(CDS.typeUrl)(
    'ENVOY-health',
    'Health checks fit the cluster and each other',
    measured,
    nackBy('envoy'),
    (cluster, report) => {
      const checks = cluster.at('healthChecks').items();
      checkNames(checks, report);
      for (const check of checks) {
        const grpc = check.at('grpcHealthCheck');
        if (grpc.exists && !speaksHttp2(cluster))
          report({ field: grpc, expected: 'another health check: the cluster does not use HTTP/2' });
        checkStatuses(check.at('httpHealthCheck'), report);
        const tcp = check.at('tcpHealthCheck');
        const payloads = [
          tcp.at('send'),
          ...tcp.at('receive').items(),
          ...check.in('httpHealthCheck', 'receive').items(),
        ];
        for (const text of payloads.map((payload) => payload.at('text')))
          if (text.exists && !/^(?:[0-9a-fA-F]{2})*$/.test(text.text))
            report({ field: text, expected: 'bytes in hexadecimal' });
        const custom = check.at('customHealthCheck');
        if (custom.exists && !custom.at('typedConfig').exists)
          report({ field: custom.at('typedConfig'), expected: 'the config of a health checker' });
      }
    },
  ),
];

/** Several health checks of a cluster need distinct names. */
function checkNames(checks: readonly Field[], report: Report): void {
  if (checks.length < 2) return;
  const seen = new Set<string>();
  for (const name of checks.map((check) => check.at('name'))) {
    if (name.text === '') report({ field: name, expected: 'a name: the cluster has several health checks' });
    else if (seen.has(name.text)) report({ field: name, expected: 'a name that is unique in the cluster' });
    seen.add(name.text);
  }
}

function checkStatuses(http: Field, report: Report): void {
  for (const list of ['expectedStatuses', 'retriableStatuses']) {
    for (const range of http.at(list).items()) {
      const [start, end] = [range.at('start').numberOr(0), range.at('end').numberOr(0)];
      if (start >= end || start < 100 || end > 600)
        report({ field: range, expected: 'a start of at least 100 before an end of at most 600' });
    }
  }
  const send = http.at('send');
  if (send.exists && !/^(?:POST|PUT|PATCH|OPTIONS)$/.test(http.at('method').text))
    report({ field: send, expected: 'no payload with this method' });
}

function speaksHttp2(cluster: Field): boolean {
  const options = cluster
    .at('typedExtensionProtocolOptions')
    .entries()
    .map(([, each]) => each)
    .find((each) => each.typeName === httpOptions);
  if (options === undefined) return cluster.at('http2ProtocolOptions').exists;
  return ['explicitHttpConfig', 'useDownstreamProtocolConfig', 'autoConfig'].some(
    (name) =>
      options.in(name, 'http2ProtocolOptions').exists ||
      options.in(name, 'http3ProtocolOptions').exists ||
      (name === 'autoConfig' && options.at(name).exists),
  );
}
