import { by } from '../../collections/compare';
import type { MethodRow } from './schema';

/** Every status that any of the methods has, by code. */
export function listStatuses(
  methods: readonly MethodRow[],
): { readonly code: number; readonly name: string }[] {
  const names = new Map(methods.flatMap(({ statuses }) => statuses.map(({ code, name }) => [code, name])));
  return [...names].map(([code, name]) => ({ code, name })).sort(by(({ code }) => code));
}
