import type protobuf from 'protobufjs';
import type { DurationRules, FieldConstraints, FieldRules, NumberRules } from '@/lib/validate/constraints';

/** A value of a field, and what is odd about it. `undefined`: the field is absent. */
export type OddValue = readonly [label: string, value: unknown];

const uint32Max = 0xffff_ffff;

/** A message in an Any whose bytes are not of its type. */
const undecodable = (typeUrl: string) => ({
  '@type': typeUrl,
  'xdscope.opaque': { reason: 'not a valid message', valueBase64: '/w==' },
});

const unknownType = {
  '@type': 'type.googleapis.com/acme.Unknown',
  'xdscope.opaque': { reason: 'unknown', valueBase64: '' },
};

/** Values that depend on the type of the field and on the value that it has. */
export function oddValuesOf(field: protobuf.Field, value: unknown): OddValue[] {
  const missing: OddValue = ['missing', undefined];
  if (Array.isArray(value)) {
    return [missing, ...(value.length > 0 ? ([['duplicated', [value[0], ...value]]] as const) : [])];
  }
  if (field.map) return [missing];
  if (field.resolvedType !== null && 'values' in field.resolvedType) {
    return [missing, ['an undefined number', 77]];
  }
  const name = field.resolvedType?.fullName ?? `.${field.type}`;
  switch (name) {
    case '.google.protobuf.Any': {
      const typeUrl = String((value as Readonly<Record<string, unknown>>)['@type']);
      return [
        missing,
        ['undecodable', undecodable(typeUrl)],
        ['of an unknown type', unknownType],
        ['of another type', { '@type': 'type.googleapis.com/envoy.config.core.v3.Locality' }],
        ['without a type', {}],
      ];
    }
    case '.google.protobuf.Duration':
      return [missing, ['zero', '0s'], ['negative', '-1s'], ['too long', { seconds: '315576000001' }]];
    case '.string':
      return [missing, ['empty', ''], ['another text', 'other']];
    case '.uint32':
    case '.google.protobuf.UInt32Value':
      return [missing, ['zero', 0], ['the largest', uint32Max]];
    case '.bool':
    case '.google.protobuf.BoolValue':
      return [missing, [String(value !== true), value !== true]];
    default:
      return field.resolvedType === null || /^\.google\./.test(name) ? [missing] : [missing, ['empty', {}]];
  }
}

/** The limits of a field as its proto states them: the last valid value and the first invalid one. */
export function limitsOf(known: FieldConstraints): OddValue[] {
  const { rules, shape } = known;
  if (rules === undefined) return [];
  if (shape === 'list') {
    const items = limitsOfValue(rules.repeated?.items ?? {});
    return items.map(([label, value]) => [`an item ${label}`, [value]]);
  }
  return shape === 'map' ? [] : limitsOfValue(rules);
}

function limitsOfValue(rules: FieldRules): OddValue[] {
  const { string, enum: choice, duration } = rules;
  const numbers = rules.uint32 ?? rules.uint64 ?? rules.int32 ?? rules.int64 ?? rules.double ?? rules.float;
  const isFraction = rules.double !== undefined || rules.float !== undefined;
  return [
    ...(numbers === undefined ? [] : limitsOfNumber(numbers, isFraction ? 0.5 : 1)),
    ...(duration === undefined ? [] : limitsOfDuration(duration)),
    ...(choice === undefined ? [] : [['an undefined number', 77] as const]),
    ...(string === undefined ? [] : limitsOfText(string)),
  ];
}

function limitsOfNumber({ gt, gte, lt, lte }: NumberRules, step: number): OddValue[] {
  return [
    ...(gt === undefined ? [] : around(gt, gt + step)),
    ...(gte === undefined ? [] : around(gte - step, gte)),
    ...(lt === undefined ? [] : around(lt - step, lt)),
    ...(lte === undefined ? [] : around(lte, lte + step)),
  ];
}

/** Numbers that no unsigned field can hold are left out. */
function around(...values: readonly number[]): OddValue[] {
  return values.filter((value) => value >= 0).map((value) => [String(value), value]);
}

function limitsOfDuration(rules: DurationRules): OddValue[] {
  const limits = [rules.gt, rules.gte, rules.lt, rules.lte].filter((limit) => limit !== undefined);
  return limits.flatMap(({ seconds = 0, nanos = 0 }) => {
    const at = seconds * 1e9 + nanos;
    return [at - 1_000_000, at, at + 1_000_000].map((value): OddValue => {
      const text = `${value / 1e9}s`;
      return [text, text];
    });
  });
}

function limitsOfText(rules: NonNullable<FieldRules['string']>): OddValue[] {
  const { min_len: min, max_len, max_bytes, well_known_regex, prefix, in: choices } = rules;
  const max = max_len ?? max_bytes;
  return [
    ...(min === undefined || min < 1 ? [] : [['one character short', 'x'.repeat(min - 1)] as const]),
    ...(max === undefined || max > 100_000
      ? []
      : ([
          ['as long as allowed', 'x'.repeat(max)],
          ['one character too long', 'x'.repeat(max + 1)],
        ] as const)),
    ...(well_known_regex === undefined ? [] : [['with a line break', 'x\ny'] as const]),
    ...(prefix === undefined && choices === undefined ? [] : [['another text', 'other'] as const]),
  ];
}
