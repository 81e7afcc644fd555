import { by } from '../../collections/compare';
import { type KnownDefault, knownDefaults } from '../../diff/known-defaults';
import type { ListRule } from '../../diff/list-rule';
import { listRules } from '../../diff/list-rules';

export interface FieldRuleRow {
  /** "envoy.config.route.v3.VirtualHost.routes" */
  readonly field: string;
  /** "VirtualHost.routes" */
  readonly name: string;
  readonly kind: 'set' | 'ordered by key' | 'ordered' | 'default';
  /** The keys of the elements, or the default value. */
  readonly by: string;
  readonly reason: string;
}

const kinds = { none: 'set', 'within-key': 'ordered by key', all: 'ordered' } as const;

export function listFieldRules(): FieldRuleRow[] {
  const rows = [
    ...Object.entries(listRules).map(([field, rule]) => ofList(field, rule)),
    ...Object.entries(knownDefaults).map(([field, known]) => ofDefault(field, known)),
  ];
  return rows.sort(by(({ field }) => field));
}

export function matchesFieldRule({ field, kind, by, reason }: FieldRuleRow, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const whole = `${field}\n${kind}\n${by}\n${reason}`.toLowerCase();
  return words.every((word) => whole.includes(word));
}

function ofList(field: string, { order, keys, like = [], reason }: ListRule): FieldRuleRow {
  const by = [...keys, ...like].map((key) => key.join(' + ')).join(', else ');
  return { field, name: shortName(field), kind: kinds[order], by: by || 'the whole value', reason };
}

function ofDefault(field: string, { value, reason }: KnownDefault): FieldRuleRow {
  return { field, name: shortName(field), kind: 'default', by: `${value} where it is not set`, reason };
}

/** Removes the package, whose parts begin with lower-case letters. */
function shortName(field: string): string {
  return /(?:^|\.)([A-Z].*)$/.exec(field)?.[1] ?? field;
}
