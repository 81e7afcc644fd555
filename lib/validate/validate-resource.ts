import { normaliseTypeUrl } from '../xds/resource-type';
import { clusterRules } from './cluster-rules';
import { endpointRules } from './endpoint-rules';
import { Field } from './field';
import { listenerRules } from './listener-rules';
import { allNack, type Profile, profiles, type Reactions, sparing } from './profile';
import { routeRules } from './route-rules';
import type { Rule, RuleContext } from './rule';
import { serverListenerRules } from './server-listener-rules';
import { tlsRules } from './tls-rules';

/** One broken rule at one place. */
export interface Finding {
  readonly ruleId: string;
  readonly source: string;
  /** As in the JSON: "endpoints[0].locality". '' for the whole resource. */
  readonly fieldPath: string;
  /** Path, expected and got. */
  readonly message: string;
  /** What each client does about it. */
  readonly reactions: Reactions;
}

export const rules: readonly Rule[] = [
  ...listenerRules,
  ...serverListenerRules,
  ...tlsRules,
  ...routeRules,
  ...clusterRules,
  ...endpointRules,
];

const nobody: ReadonlySet<Profile> = new Set();

/** `json` as the codec decodes it. All breaches of all rules; a type that has no rules has no findings. Never throws. */
export function validateResource(typeUrl: string, json: unknown, context: RuleContext = {}): Finding[] {
  const type = normaliseTypeUrl(typeUrl);
  const resource = new Field(json, '');
  if (resource.unreadable !== undefined) {
    return [
      {
        ruleId: 'protobuf',
        source: 'xDS: resources are protobuf messages',
        fieldPath: '',
        message: `the resource: expected a ${type.slice(type.lastIndexOf('/') + 1)}, got bytes that are none (${resource.unreadable})`,
        reactions: allNack,
      },
    ];
  }
  const findings = new Map<string, Finding>();
  for (const rule of rules) {
    if (!rule.types.includes(type)) continue;
    rule.check(
      resource,
      ({ field, expected, got = field.show(), reactions = rule.reactions, sparedBy = nobody }) => {
        const message = `${field.path || 'the resource'}: expected ${expected}, got ${got}`;
        const key = `${rule.id} ${message}`;
        const before = findings.get(key);
        const own = sparing(reactions, sparedBy);
        findings.set(key, {
          ruleId: rule.id,
          source: rule.source,
          fieldPath: field.path,
          message,
          reactions: before === undefined ? own : strictest(before.reactions, own),
        });
      },
      context,
    );
  }
  return [...findings.values()];
}

/** One client's answer, were the resource alone in its response. */
export function verdictOf(findings: readonly Finding[], profile: Profile): 'ACK' | 'NACK' {
  return findings.some(({ reactions }) => reactions[profile] === 'NACK') ? 'NACK' : 'ACK';
}

/** A rule that is told client by client is one finding. */
function strictest(a: Reactions, b: Reactions): Reactions {
  const merged = { ...a };
  for (const profile of profiles) {
    if (b[profile] === 'NACK' || merged[profile] === 'accept') merged[profile] = b[profile];
  }
  return merged;
}
