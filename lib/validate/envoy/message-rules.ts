import { group } from 'd3';
import { profilesOf, since } from '../../xds/profile';
import { CDS, EDS, LDS, RDS } from '../../xds/resource-type';
import type { Field } from '../field';
import { isIpAddress } from '../ip-address';
import { nackBy } from '../reactions';
import type { Report, Rule } from '../rule';
import { checkRegex } from '../string-matcher';
import { checkEnvoyDuration } from './common-checks';
import { findFormatError } from './format-operators';
import { indexMessages } from './messages/message-index';
import { measured, ruleOfMessages } from './messages/rule-of-messages';

const envoyNack = nackBy('envoy');
const core = 'envoy.config.core.v3';
const route = 'envoy.config.route.v3';

/** Other rules compile these patterns for every client. */
const ofOtherRules =
  /\.routes\[\d+\]\.match\.(?:safeRegex|headers\[)|\.hashPolicy\[|[sS]ubjectAltNames\[|\.(?:rules|shadowRules)\./;

/** Conditions on messages that occur in many places, and that are no constraints of the protos. */
export const envoyMessageRules: readonly Rule[] = [
  ruleOfMessages(
    'ENVOY-headers',
    'Headers that are added or removed may be changed',
    [
      `${core}.HeaderValueOption`,
      `${core}.HealthCheck.HttpHealthCheck`,
      `${route}.RouteConfiguration`,
      `${route}.VirtualHost`,
      `${route}.Route`,
      `${route}.WeightedCluster.ClusterWeight`,
    ],
    (message, report) => {
      const key = message.in('header', 'key');
      const removed = ['requestHeadersToRemove', 'responseHeadersToRemove'];
      for (const name of [key, ...removed.flatMap((each) => message.at(each).items())]) {
        if (name.text.startsWith(':') || name.text.toLowerCase() === 'host')
          report({ field: name, expected: 'a header that is neither a pseudo-header nor host' });
      }
      const action = message.at('appendAction');
      if (message.at('append').exists && !['', 'APPEND_IF_EXISTS_OR_ADD'].includes(action.text))
        report({ field: action, expected: 'nothing beside append' });
    },
  ),
  ruleOfMessages(
    'ENVOY-operators',
    'Command operators in access logs, header values and other formats are valid',
    [
      `${core}.HeaderValueOption`,
      `${core}.SubstitutionFormatString`,
      'envoy.extensions.access_loggers.file.v3.FileAccessLog',
      'envoy.extensions.filters.http.oauth2.v3.OAuth2Config',
    ],
    (message, report) => {
      for (const field of formatsOf(message)) {
        // Envoy 1.36 does not read the format of a redirection.
        const of = field.path.endsWith('.redirectUri') ? since('envoy-1.37') : profilesOf('envoy');
        const errors = of.map((profile) => ({ profile, error: findFormatError(field.text, profile) }));
        for (const [, alike] of group(errors, ({ error }) => JSON.stringify(error))) {
          const [{ error } = {}] = alike;
          if (error === undefined) continue;
          const reactions = nackBy(...alike.map(({ profile }) => profile));
          const got = field.withValue(error.got).show();
          report({ field, expected: error.expected, got, reactions });
        }
      }
    },
  ),
  {
    id: 'ENVOY-durations',
    title: 'Durations are in the range that Envoy accepts',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl, EDS.typeUrl],
    source: measured,
    reactions: envoyNack,
    check(resource, report, { typeUrl }) {
      for (const field of indexMessages(resource, typeUrl).durations) checkEnvoyDuration(field, report);
    },
  },
  ruleOfMessages(
    'ENVOY-rewrite',
    'The regular expressions of rewrites and matchers are valid',
    ['envoy.type.matcher.v3.RegexMatcher'],
    (matcher, report) => {
      const regex = matcher.at('regex');
      if (regex.exists && !ofOtherRules.test(regex.path)) checkRegex(regex, envoyNack, report);
    },
  ),
  ruleOfMessages(
    'ENVOY-http2',
    'Custom HTTP/2 settings are consistent',
    [`${core}.Http2ProtocolOptions`],
    checkHttp2Settings,
  ),
  ruleOfMessages(
    'ENVOY-api-source',
    'The source of an API config has one management server and a version of the API',
    [`${core}.ApiConfigSource`],
    (source, report) => {
      const services = source.at('grpcServices');
      if (services.items().length > 1) report({ field: services, expected: 'at most one service' });
      if (source.at('apiType').text === 'REST' && !source.at('refreshDelay').exists)
        report({ field: source.at('refreshDelay'), expected: 'a value: the type is REST' });
    },
  ),
  ruleOfMessages(
    'ENVOY-api-version',
    'A gRPC service speaks version 3 of the API',
    [
      'envoy.extensions.access_loggers.grpc.v3.CommonGrpcAccessLogConfig',
      'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz',
      'envoy.config.ratelimit.v3.RateLimitServiceConfig',
      `${core}.ApiConfigSource`,
    ],
    (message, report) => {
      const version = message.at('transportApiVersion');
      if (version.text === 'V2') report({ field: version, expected: 'V3' });
    },
  ),
  ruleOfMessages(
    'ENVOY-cidr',
    'The ranges of internal addresses are valid',
    [
      'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.InternalAddressConfig',
    ],
    (config, report) => {
      for (const range of config.at('cidrRanges').items()) {
        const address = range.at('addressPrefix');
        if (!isIpAddress(address.text)) report({ field: address, expected: 'an IP address' });
      }
    },
  ),
];

/** Every format string of the message. */
export function formatsOf(message: Field): Field[] {
  // Extensions add operators.
  if (message.at('formatters').items().length > 0) return [];
  const texts = [
    message.in('header', 'value'),
    message.at('textFormat'),
    message.in('textFormatSource', 'inlineString'),
    message.at('format'),
    message.at('redirectUri'),
  ];
  const json = ['jsonFormat', 'typedJsonFormat'].flatMap((name) => textsOf(message.at(name)));
  return [...texts.filter((each) => each.text !== ''), ...json];
}

/** The texts in a Struct, as deep as it is. */
function textsOf(value: Field): Field[] {
  if (value.text !== '') return [value];
  const inner = [...value.items(), ...value.entries().map(([, each]) => each)];
  return inner.flatMap(textsOf);
}

/** The settings that have fields of their own, by their identifiers. */
const namedSettings: ReadonlyMap<number, string> = new Map([
  [1, 'hpackTableSize'],
  [3, 'maxConcurrentStreams'],
  [4, 'initialStreamWindowSize'],
]);
const serverPush = 2;
const extendedConnect = 8;

function checkHttp2Settings(options: Field, report: Report): void {
  const values = new Map<number, number>();
  for (const setting of options.at('customSettingsParameters').items()) {
    const field = setting.at('identifier');
    const identifier = field.numberOr(0);
    const value = setting.at('value').numberOr(0);
    const name = namedSettings.get(identifier);
    if (name !== undefined && options.at(name).exists)
      report({ field, expected: `another setting: ${name} is set` });
    if (identifier === serverPush && value === 1)
      report({ field: setting.at('value'), expected: '0: Envoy has no server push' });
    if (identifier === extendedConnect) report({ field, expected: 'allowConnect for this setting' });
    if ((values.get(identifier) ?? value) !== value)
      report({ field: setting.at('value'), expected: 'one value for a setting' });
    values.set(identifier, value);
  }
}
