import { readTypeUrl } from '../xds/v2-types';
import { Field } from './field';
import { everyNack, type Profile, profiles, type Reactions, sparing } from './profile';
import type { Rule, RuleContext } from './rule';
import { rules } from './rules';

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
  /** What the reactions leave unsaid. */
  readonly note?: string;
}

const rulesByType = new Map<string, readonly Rule[]>();
for (const rule of rules) {
  for (const type of rule.types) rulesByType.set(type, [...(rulesByType.get(type) ?? []), rule]);
}

const nobody: ReadonlySet<Profile> = new Set();

/** What is broken more often than that is told in one finding: a hostile resource can be broken a million times. */
const maxFindings = 1000;

/** `json` as the codec decodes it, for models; a v2 type is judged as its v3 twin. All breaches of all rules; a type that has no rules has no findings. Never throws. */
export function validateResource(typeUrl: string, json: unknown, context: RuleContext = {}): Finding[] {
  const { typeUrl: type } = readTypeUrl(typeUrl);
  const resource = new Field(json);
  if (resource.unreadable !== undefined) {
    return [
      {
        ruleId: 'protobuf',
        source: 'xDS: resources are protobuf messages',
        fieldPath: '',
        message: `the resource: expected a ${type.slice(type.lastIndexOf('/') + 1)}, got bytes that are none (${resource.unreadable})`,
        reactions: everyNack,
      },
    ];
  }
  const findings = new Map<string, Finding>();
  const rest: Reactions[] = [];
  for (const rule of rulesByType.get(type) ?? []) {
    rule.check(
      resource,
      ({ field, expected, got = field.show(), reactions = rule.reactions, sparedBy = nobody, note }) => {
        const fieldPath = field.path;
        const message = `${fieldPath || 'the resource'}: expected ${expected}, got ${got}`;
        const key = `${rule.id} ${message}`;
        const own = sparing(reactions, sparedBy);
        if (findings.size >= maxFindings && !findings.has(key)) {
          rest.push(own);
          return;
        }
        const before = findings.get(key);
        const shown = note ?? before?.note;
        findings.set(key, {
          ruleId: rule.id,
          source: rule.source,
          fieldPath,
          message,
          reactions: before === undefined ? own : strictest(before.reactions, own),
          ...(shown === undefined ? {} : { note: shown }),
        });
      },
      { ...context, typeUrl: type },
    );
  }
  return rest.length === 0 ? [...findings.values()] : [...findings.values(), tellRest(rest)];
}

function tellRest(rest: readonly Reactions[]): Finding {
  return {
    ruleId: 'more',
    source: `only the first ${maxFindings} are listed`,
    fieldPath: '',
    message: `the resource: expected fewer broken rules, got ${rest.length} more than are listed`,
    reactions: rest.reduce(strictest),
  };
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
