import { CDS, EDS, LDS, RDS } from '../../../xds/resource-type';
import type { Field } from '../../field';
import { checkedMessages } from './checked-messages';
import type { CheckedField } from './parse-messages';

/** A part of a resource for which the rules are not complete. */
export interface UncheckedField {
  readonly field: Field;
  /** The full name of the message, for an extension or a message whose rules are not complete. */
  readonly message?: string;
}

export interface MessageIndex {
  /** Every place of a message that is listed in checkedMessages, by its full name. */
  readonly messages: ReadonlyMap<string, readonly Field[]>;
  readonly durations: readonly Field[];
  readonly unchecked: readonly UncheckedField[];
}

/** Protobuf itself rejects deeper nesting. */
const maxDepth = 100;
const withRules = new Set([LDS.typeUrl, RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);
const empty: MessageIndex = { messages: new Map(), durations: [], unchecked: [] };
const indexes = new WeakMap<Field, MessageIndex>();

/** The messages of a resource as Envoy reads them. Envoy ignores an API listener of LDS, and what it contains. */
export function indexMessages(resource: Field, typeUrl: string): MessageIndex {
  const known = indexes.get(resource);
  if (known !== undefined) return known;
  const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
  const index = buildIndex(resource, typeUrl, name);
  indexes.set(resource, index);
  return index;
}

function buildIndex(resource: Field, typeUrl: string, name: string): MessageIndex {
  if (!withRules.has(typeUrl)) return { ...empty, unchecked: [{ field: resource, message: name }] };
  if (resource.at('apiListener').exists) return empty;
  const messages = new Map<string, Field[]>();
  const durations: Field[] = [];
  const unchecked: UncheckedField[] = [];
  walk(resource, name, 0);
  return { messages, durations, unchecked };

  function walk(message: Field, type: string, depth: number): void {
    const checked = checkedMessages.get(type);
    if (checked === undefined || depth > maxDepth) {
      unchecked.push({ field: message, message: type });
      return;
    }
    const places = messages.get(type);
    if (places === undefined) messages.set(type, [message]);
    else places.push(message);
    if (checked.get('typedConfig')?.kind === 'any' && !message.at('typedConfig').exists)
      unchecked.push({ field: message.at('typedConfig') });
    for (const name of message.names()) {
      if (name === '@type') continue;
      const field = message.at(name);
      const kind = checked.get(name);
      if (kind === undefined) unchecked.push({ field });
      else if (kind.kind !== 'value') for (const each of valuesOf(field, kind)) enter(each, kind, depth);
    }
  }

  function enter(field: Field, { kind, message, prefixes }: CheckedField, depth: number): void {
    if (kind === 'duration') durations.push(field);
    else if (kind === 'message') walk(field, message ?? '', depth + 1);
    else enterAny(kind === 'any' ? field : field.at('typedConfig'), prefixes, depth + 1);
  }

  function enterAny(any: Field, prefixes: readonly string[], depth: number): void {
    const { typeName } = any;
    const isKnown = prefixes.some((each) => typeName === each || typeName.startsWith(`${each}.`));
    if (!isKnown || any.isTypedStruct || any.unreadable !== undefined)
      unchecked.push({ field: any, message: typeName });
    else walk(any, typeName, depth);
  }
}

function valuesOf(field: Field, { isMap }: CheckedField): Field[] {
  if (isMap) return field.entries().map(([, each]) => each);
  return Array.isArray(field.value) ? field.items() : [field];
}

/** The places of messages of these full names. */
export function messagesOf(resource: Field, typeUrl: string, ...names: readonly string[]): Field[] {
  const { messages } = indexMessages(resource, typeUrl);
  return names.flatMap((name) => messages.get(name) ?? []);
}
