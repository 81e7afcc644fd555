import { encodeBody } from '@/server/codec/encode-body';
import { type Family, type Json, mutate } from '../cases/mutation';
import { aggregateTable, clusterTable, dnsTable, ringTable } from './cluster-table';
import type { ConformanceTable } from './conformance-case';
import { endpointTable } from './endpoint-table';
import { apiListenerTable, socketListenerTable } from './listener-table';
import { routeTable } from './route-table';
import { tlsTable } from './tls-table';

/** A resource that was put before real clients. */
export interface ConformanceCase {
  /** "FAMILY: LABEL". */
  readonly title: string;
  readonly typeUrl: string;
  /** Under which it is asked for; mostly its own. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const tables: readonly [name: string, table: ConformanceTable][] = [
  ['API listener', apiListenerTable],
  ['socket listener', socketListenerTable],
  ['routes', routeTable],
  ['cluster', clusterTable],
  ['LOGICAL_DNS cluster', dnsTable],
  ['aggregate cluster', aggregateTable],
  ['RING_HASH cluster', ringTable],
  ['TLS', tlsTable],
  ['endpoints', endpointTable],
];

/** In the bootstrap of the conformance, under certificate_providers. */
export const conformanceProviders: readonly string[] = ['p'];

/** Each with a name of its own, so that one client can validate them all. */
export function conformanceCases(): ConformanceCase[] {
  let count = 0;
  const caseOf = (title: string, family: Family, resource: Json): ConformanceCase => {
    count += 1;
    const name = `case-${count}`;
    const key = 'clusterName' in family.base ? 'clusterName' : 'name';
    // Where the case is about the name, that stays as it is.
    const named = resource[key] === family.base[key] ? { ...resource, [key]: name } : resource;
    // Through text, which has no undefined in it.
    const bytes = encodeBody(family.typeUrl, JSON.parse(JSON.stringify(named)));
    return { title, typeUrl: family.typeUrl, name, bytes };
  };
  return tables.flatMap(([name, { family, rows }]) => [
    caseOf(`${name}: good`, family, family.base),
    ...family.mutations.map((one) => caseOf(`${name}: ${one.label}`, family, mutate(family.base, one))),
    ...rows.map(([label, ...changes]) =>
      caseOf(`${name}: ${label}`, family, mutate(family.base, ...pairsOf(changes))),
    ),
  ]);
}

function pairsOf(changes: readonly unknown[]): { at: string; value: unknown }[] {
  const pairs: { at: string; value: unknown }[] = [];
  for (let index = 0; index < changes.length; index += 2)
    pairs.push({ at: String(changes[index]), value: changes[index + 1] });
  return pairs;
}
