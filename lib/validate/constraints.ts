import type { Profile } from '../xds/profile';

/** Constraints that the protos state themselves (protoc-gen-validate), as protos/constraints.mjs extracts them. */
export interface Constraints {
  /** Keys are full message names. */
  readonly messages: Readonly<Record<string, MessageConstraints>>;
}

/** Constraints and the profiles that enforce them. */
export interface EnforcedConstraints extends Constraints {
  readonly profiles: readonly Profile[];
}

/** The constraints of the newest Envoy, and how those of older ones differ. */
export interface ConstraintsByVersion extends Constraints {
  /** The older versions, from the newest to the oldest. Each states the differences from the entry before it. */
  readonly older: readonly OlderConstraints[];
}

interface OlderConstraints {
  /** The last release to which the differences apply, such as "1.39". */
  readonly envoy: string;
  /** `null` stands for no constraints. */
  readonly messages: Readonly<
    Record<
      string,
      {
        readonly fields: Readonly<Record<string, FieldConstraints | null>>;
        readonly required?: MessageConstraints['required'] | null;
      }
    >
  >;
}

/** The constraints of a release of Envoy such as "1.36" or "1.36.2". The oldest known ones apply to earlier releases. */
export function constraintsOf({ messages, older }: ConstraintsByVersion, version: string): Constraints {
  const minor = minorOf(version);
  const changed = new Map<string, MessageConstraints>();
  for (const { envoy, messages: differences } of older) {
    if (minorOf(envoy) < minor) break;
    for (const [name, { fields, required }] of Object.entries(differences)) {
      const newer = changed.get(name) ?? messages[name] ?? { fields: {} };
      const merged = Object.entries({ ...newer.fields, ...fields }).filter(isConstrained);
      const groups = required === undefined ? newer.required : (required ?? undefined);
      changed.set(name, {
        fields: Object.fromEntries(merged),
        ...(groups === undefined ? {} : { required: groups }),
      });
    }
  }
  return { messages: { ...messages, ...Object.fromEntries(changed) } };
}

function isConstrained(entry: [string, FieldConstraints | null]): entry is [string, FieldConstraints] {
  return entry[1] !== null;
}

/** "1.36.2" -> 36. */
function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

export interface MessageConstraints {
  /** Keys are JSON names. Contains fields with rules, and fields through which messages with rules are reachable. */
  readonly fields: Readonly<Record<string, FieldConstraints>>;
  /** Each entry lists the fields of a oneof of which one must be set. */
  readonly required?: readonly (readonly string[])[];
}

export interface FieldConstraints {
  readonly shape?: 'list' | 'map';
  /**
   * If true, the field is validated only when it is set. A field without presence is also validated when it is zero.
   */
  readonly hasPresence?: boolean;
  /** If true, the field is a member of a oneof; `required` then applies only if this member is set. */
  readonly isInOneof?: boolean;
  readonly enumValues?: Readonly<Record<string, number>>;
  readonly isAny?: boolean;
  readonly message?: string;
  readonly rules?: FieldRules;
}

/** Rules as in validate.proto, restricted to the kinds and options that Envoy's API uses. */
export interface FieldRules {
  readonly message?: { readonly required?: boolean; readonly skip?: boolean };
  readonly any?: {
    readonly required?: boolean;
    readonly in?: OneOrMore<string>;
    readonly not_in?: OneOrMore<string>;
  };
  readonly duration?: DurationRules;
  readonly string?: StringRules;
  readonly bytes?: LengthRules;
  readonly bool?: { readonly const?: boolean };
  readonly enum?: EnumRules;
  readonly repeated?: {
    readonly min_items?: number;
    readonly max_items?: number;
    readonly unique?: boolean;
    readonly items?: FieldRules;
    readonly ignore_empty?: boolean;
  };
  readonly map?: {
    readonly min_pairs?: number;
    readonly max_pairs?: number;
    readonly keys?: FieldRules;
    readonly values?: FieldRules;
    readonly ignore_empty?: boolean;
  };
  readonly float?: NumberRules;
  readonly double?: NumberRules;
  readonly int32?: NumberRules;
  readonly int64?: NumberRules;
  readonly uint32?: NumberRules;
  readonly uint64?: NumberRules;
}

/** An option that is given once is not in a list. */
type OneOrMore<T> = T | readonly T[];

export interface NumberRules {
  readonly const?: number;
  readonly gt?: number;
  readonly gte?: number;
  readonly lt?: number;
  readonly lte?: number;
  readonly in?: OneOrMore<number>;
  readonly not_in?: OneOrMore<number>;
  readonly ignore_empty?: boolean;
}

export interface LengthRules {
  readonly len?: number;
  readonly min_len?: number;
  readonly max_len?: number;
  readonly min_bytes?: number;
  readonly max_bytes?: number;
  readonly ignore_empty?: boolean;
}

export interface StringRules extends LengthRules {
  readonly const?: string;
  readonly pattern?: string;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly contains?: string;
  readonly not_contains?: string;
  readonly in?: OneOrMore<string>;
  readonly not_in?: OneOrMore<string>;
  readonly ip?: boolean;
  readonly address?: boolean;
  readonly hostname?: boolean;
  readonly uri?: boolean;
  readonly uri_ref?: boolean;
  readonly well_known_regex?: 'HTTP_HEADER_NAME' | 'HTTP_HEADER_VALUE' | 'UNKNOWN';
  readonly strict?: boolean;
}

export interface EnumRules {
  readonly const?: number;
  readonly defined_only?: boolean;
  readonly in?: OneOrMore<number>;
  readonly not_in?: OneOrMore<number>;
}

interface Span {
  readonly seconds?: number;
  readonly nanos?: number;
}

export interface DurationRules {
  readonly required?: boolean;
  readonly gt?: Span;
  readonly gte?: Span;
  readonly lt?: Span;
  readonly lte?: Span;
}

export function listOf<T>(values: OneOrMore<T> | undefined): readonly T[] {
  if (values === undefined) return [];
  return isList(values) ? values : [values];
}

function isList<T>(values: OneOrMore<T>): values is readonly T[] {
  return Array.isArray(values);
}
