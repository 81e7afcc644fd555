import type { Client } from '@/lib/xds/profile';
import { encodeBody } from '@/server/codec/encode-body';

export type Json = Readonly<Record<string, unknown>>;

/** One change of a valid resource, and the clients that reject the result. */
export interface Mutation {
  readonly label: string;
  /** The changed field, such as "virtualHosts.0.domains". */
  readonly at: string;
  /** The field is removed if this is undefined. */
  readonly value: unknown;
  /** Letters of the clients that NACK: c(ore) g(o) j(ava) n(ode) e(nvoy); empty if all accept it. */
  readonly nackedBy: string;
  /** A rule that has to be among the findings. */
  readonly rule?: string;
}

export interface Family {
  readonly typeUrl: string;
  readonly base: Json;
  /** Letters of the clients that NACK the base; none if absent. */
  readonly nackedBy?: string;
  readonly mutations: readonly Mutation[];
}

export const letters: Readonly<Record<Client, string>> = {
  core: 'c',
  go: 'g',
  java: 'j',
  node: 'n',
  envoy: 'e',
};

/** [label, at, value, nackedBy, rule]. */
export type Row = readonly [label: string, at: string, value: unknown, nackedBy: string, rule?: string];

/** Rows about one place, without it: [label, value, nackedBy, rule]. */
export function rowsAt(
  at: string,
  rows: readonly (readonly [label: string, value: unknown, nackedBy: string, rule?: string])[],
): Row[] {
  return rows.map(([label, ...others]) => [label, at, ...others]);
}

export function mutationsOf(rows: readonly Row[]): Mutation[] {
  return rows.map(([label, at, value, nackedBy, rule]) => ({ label, at, value, nackedBy, rule }));
}

export function encodeResource(typeUrl: string, resource: Json): Uint8Array {
  // JSON text does not hold fields that are undefined.
  return encodeBody(typeUrl, JSON.parse(JSON.stringify(resource)));
}

/** Applies the changes to a copy of the resource. */
export function mutate(base: Json, ...changes: readonly Pick<Mutation, 'at' | 'value'>[]): Json {
  const copy = structuredClone(base) as Record<string, unknown>;
  for (const { at, value } of changes) set(copy, at.split('.'), value);
  return copy;
}

function set(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [step, ...rest] = path;
  if (step === undefined) return;
  if (rest.length === 0) {
    if (value === undefined) delete target[step];
    else target[step] = structuredClone(value);
    return;
  }
  if (typeof target[step] !== 'object' || target[step] === null)
    target[step] = /^\d+$/.test(rest[0] ?? '') ? [] : {};
  set(target[step] as Record<string, unknown>, rest, value);
}
