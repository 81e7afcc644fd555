import type { Profile } from '@/lib/validate/profile';

export type Json = Readonly<Record<string, unknown>>;

/** One change of a good resource, and clients then rejects it. */
export interface Mutation {
  readonly label: string;
  /** Where, as in "virtualHosts.0.domains". */
  readonly at: string;
  /** undefined: taken away. */
  readonly value: unknown;
  /** Letters of the clients that NACK: c(ore) g(o) j(ava) n(ode) e(nvoy); '' when all take it. */
  readonly nackedBy: string;
  /** Rules of which one at least is found; none: no finding at all. */
  readonly rule?: string;
}

export interface Family {
  readonly typeUrl: string;
  readonly base: Json;
  readonly mutations: readonly Mutation[];
}

export const letters: Readonly<Record<Profile, string>> = {
  core: 'c',
  go: 'g',
  java: 'j',
  node: 'n',
  envoy: 'e',
};

/** [label, at, value, nackedBy, rule]. */
export type Row = readonly [label: string, at: string, value: unknown, nackedBy: string, rule?: string];

export function mutationsOf(rows: readonly Row[]): Mutation[] {
  return rows.map(([label, at, value, nackedBy, rule]) => ({ label, at, value, nackedBy, rule }));
}

/** The resource with the changes made to a copy of it. */
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
