import { diffValues } from '@/lib/diff/diff-values';
import { FactFinder } from '@/lib/diff/field-facts';
import { isJsonObject } from '@/lib/diff/json-object';
import type { ValueDiff } from '@/lib/diff/value-diff';
import { messageNameOf } from '@/lib/xds/resource-type';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { findMessageShape } from '@/server/codec/message-shapes';
import { findMessageType } from '@/server/codec/root';

export const finder = new FactFinder(findMessageShape);

/** The decoded form of a resource, in which types of v2 have their v3 names. */
export function asRead(typeUrl: string, json: unknown): unknown {
  return decodeBody(typeUrl, encodeBody(typeUrl, json), { asV3: true }).json;
}

export function messageOf(typeUrl: string): string {
  return findMessageType(typeUrl)?.fullName.slice(1) ?? messageNameOf(typeUrl);
}

export function diffOf(typeUrl: string, before: unknown, after: unknown): ValueDiff | null {
  return diffValues(finder, asRead(typeUrl, before), asRead(typeUrl, after), messageOf(typeUrl));
}

/** A copy in which the elements of every set are reversed, which does not change its meaning. */
export function turnSets(value: unknown, message: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => turnSets(item, undefined));
  if (!isJsonObject(value)) return value;
  const facts = finder.of(value, message);
  const entries = Object.entries(value).map(([name, held]): [string, unknown] => {
    const field = facts?.field(name);
    if (field?.shape === 'list' && Array.isArray(held)) {
      const items = held.map((item) => turnSets(item, field.message));
      return [name, field.rule.order === 'none' ? items.reverse() : items];
    }
    if (field?.shape === 'map' && isJsonObject(held)) {
      const inner = Object.entries(held).map(([key, item]) => [key, turnSets(item, field.message)]);
      return [name, Object.fromEntries(inner.reverse())];
    }
    return [name, turnSets(held, field?.message)];
  });
  return Object.fromEntries(entries.reverse());
}
