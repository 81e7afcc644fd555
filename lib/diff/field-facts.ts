import { messageNameOf } from '../xds/resource-type';
import { isJsonObject } from './json-object';
import { type KnownDefault, knownDefaults } from './known-defaults';
import { type ListRule, unlistedRule } from './list-rule';
import { listRules } from './list-rules';
import type { FieldShape, FindShape, MessageShape } from './message-shape';
import { previousNames } from './removed-names';

/** A field of a message that was found in a value. */
export interface FieldFacts extends FieldShape {
  /** What its absence means where that is known; undefined: absence is a state of its own. */
  readonly absent: string | number | boolean | undefined;
  /** Set where the meaning of its absence is documented, not built into proto3. */
  readonly documented: KnownDefault | undefined;
  /** Names that mean the same as another one, by the former; undefined: no name of this field does. */
  readonly former: ReadonlyMap<string, string> | undefined;
  /** Of lists. */
  readonly rule: ListRule;
}

export interface MessageFacts {
  readonly name: string;
  readonly field: (jsonName: string) => FieldFacts | undefined;
}

/** What decodeBody() adds to a message: fields that its type does not have. They are known by their numbers. */
const unknownFields: FieldFacts = {
  shape: 'list',
  message: undefined,
  zero: undefined,
  absent: undefined,
  documented: undefined,
  former: undefined,
  rule: {
    order: 'within-key',
    keys: [['field']],
    reason: 'values of one field number are in their order; different fields do not meet',
  },
};

const any = 'google.protobuf.Any';

/** Messages with what the tables say of their fields, worked out once. MUTABLE: remembers. */
export class FactFinder {
  private readonly known = new Map<string, MessageFacts | null>();

  constructor(private readonly findShape: FindShape) {}

  /**
   * Of a value that a field of type `message` holds: of an Any, of the type inside it. undefined: it is compared as plain
   * JSON.
   */
  of(value: unknown, message: string | undefined): MessageFacts | undefined {
    if (message === undefined || !isJsonObject(value)) return undefined;
    if (message !== any) return this.byName(message);
    const type = value['@type'];
    return typeof type === 'string' ? this.byName(messageNameOf(type)) : undefined;
  }

  private byName(name: string): MessageFacts | undefined {
    const known = this.known.get(name);
    if (known !== undefined) return known ?? undefined;
    const shape = this.findShape(name);
    const facts = shape === undefined ? null : readFacts(name, shape);
    this.known.set(name, facts);
    return facts ?? undefined;
  }
}

function readFacts(name: string, { fields }: MessageShape): MessageFacts {
  const known = new Map<string, FieldFacts>([['xdscope.unknown', unknownFields]]);
  for (const [jsonName, field] of fields) {
    const path = `${name}.${jsonName}`;
    const documented = own(knownDefaults, path);
    const rule = own(listRules, path) ?? unlistedRule;
    const former = own(previousNames, path);
    known.set(jsonName, { ...field, absent: field.zero ?? documented?.value, documented, former, rule });
  }
  return { name, field: (jsonName) => known.get(jsonName) };
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Whether a field with this value says the same as one that is not there. */
export function saysAsMuchAsAbsent(field: FieldFacts, value: unknown): boolean {
  if (field.shape === 'list') return Array.isArray(value) && value.length === 0;
  if (field.shape === 'map') return isJsonObject(value) && Object.keys(value).length === 0;
  return field.absent !== undefined && value === field.absent;
}

/** A name of an extension as it is called now; whatever else a field holds is as it is. */
export function presentName(field: FieldFacts | undefined, value: unknown): unknown {
  return typeof value === 'string' ? (field?.former?.get(value) ?? value) : value;
}
