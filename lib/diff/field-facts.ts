import { messageNameOf } from '../xds/resource-type';
import { isJsonObject } from './json-object';
import { type KnownDefault, knownDefaults } from './known-defaults';
import { type ListRule, unlistedRule } from './list-rule';
import { listRules } from './list-rules';
import type { FieldShape, FindShape, MessageShape } from './message-shape';
import { previousNames } from './removed-names';

export interface FieldFacts extends FieldShape {
  /** The value that absence means; undefined if absence has a meaning of its own. */
  readonly absent: string | number | boolean | undefined;
  /** Set if the default is documented, as opposed to a proto3 default. */
  readonly documented: KnownDefault | undefined;
  /** Present names by former names, if this field names extensions. */
  readonly former: ReadonlyMap<string, string> | undefined;
  readonly rule: ListRule;
}

export interface MessageFacts {
  readonly name: string;
  readonly field: (jsonName: string) => FieldFacts | undefined;
}

/** The unknown fields that decodeBody() adds to a message, by field number. */
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
    reason: 'values of one field number are ordered; different fields are independent',
  },
};

const any = 'google.protobuf.Any';

/** Finds the facts of messages, and caches them. MUTABLE. */
export class FactFinder {
  readonly #findShape: FindShape;

  readonly #known = new Map<string, MessageFacts | null>();

  constructor(findShape: FindShape) {
    this.#findShape = findShape;
  }

  /**
   * Returns the facts for a value of type `message`; of an Any, those of its content. Returns undefined if the value is
   * compared as plain JSON.
   */
  of(value: unknown, message: string | undefined): MessageFacts | undefined {
    if (message === undefined || !isJsonObject(value)) return undefined;
    if (message !== any) return this.#byName(message);
    const type = value['@type'];
    return typeof type === 'string' ? this.#byName(messageNameOf(type)) : undefined;
  }

  #byName(name: string): MessageFacts | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known ?? undefined;
    const shape = this.#findShape(name);
    const facts = shape === undefined ? null : readFacts(name, shape);
    this.#known.set(name, facts);
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

export function meansAbsent(field: FieldFacts, value: unknown): boolean {
  if (field.shape === 'list') return Array.isArray(value) && value.length === 0;
  if (field.shape === 'map') return isJsonObject(value) && Object.keys(value).length === 0;
  return field.absent !== undefined && value === field.absent;
}

/** Returns the present name of an extension; other values are returned as they are. */
export function presentName(field: FieldFacts | undefined, value: unknown): unknown {
  return typeof value === 'string' ? (field?.former?.get(value) ?? value) : value;
}
