import { isDuration, parseDuration } from '../duration';
import type { Field } from '../field';
import { nackBy } from '../reactions';
import type { Report } from '../rule';

const specifiers = ['path', 'pathConfigSource', 'apiConfigSource', 'ads'];

/** Envoy does not support `self` here. */
export function checkConfigSource(config: Field, report: Report): void {
  if (!specifiers.some((name) => config.at(name).exists))
    report({ field: config, expected: specifiers.join(', '), reactions: nackBy('envoy') });
  const api = config.at('apiConfigSource');
  const names = ['grpcServices', 'clusterNames'];
  if (api.exists && names.every((name) => api.at(name).items().length === 0))
    report({ field: api, expected: names.join(' or '), reactions: nackBy('envoy') });
}

/** The nanoseconds must fit into 64 bits. */
const maxSeconds = 9_223_372_035;

export function checkEnvoyDuration(field: Field, report: Report): void {
  const seconds = parseDuration(field)?.seconds ?? 0;
  if (!isDuration(field) || seconds > maxSeconds)
    report({
      field,
      expected: `a duration of 0 to ${maxSeconds} seconds`,
      reactions: nackBy('envoy'),
    });
}
