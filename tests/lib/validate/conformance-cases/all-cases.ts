import { encodeResource, type Family, type Json, mutate } from '../cases/mutation';
import { aggregateTable, clusterTable, dnsTable, ringTable } from './cluster-table';
import type { ConformanceTable } from './conformance-case';
import { endpointTable } from './endpoint-table';
import { apiListenerTable, socketListenerTable } from './listener-table';
import { routeTable } from './route-table';
import { tlsTable } from './tls-table';

/** A resource whose verdict was recorded from real clients. */
export interface ConformanceCase {
  /** "FAMILY: LABEL". */
  readonly title: string;
  readonly typeUrl: string;
  /** The name of the subscription, usually that of the resource. */
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

/** The certificate_providers of the clients' bootstrap. */
export const conformanceProviders: readonly string[] = ['p'];

/** Each case has a name of its own, so that one client can validate them all. */
export function conformanceCases(): ConformanceCase[] {
  let count = 0;
  const caseOf = (title: string, family: Family, resource: Json): ConformanceCase => {
    count += 1;
    const name = `case-${count}`;
    const key = 'clusterName' in family.base ? 'clusterName' : 'name';
    // A case about the name keeps it.
    const named = resource[key] === family.base[key] ? { ...resource, [key]: name } : resource;
    return { title, typeUrl: family.typeUrl, name, bytes: encodeResource(family.typeUrl, named) };
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
