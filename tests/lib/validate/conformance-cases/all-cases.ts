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

/** A resource of the tables, before it has a name of its own. */
export interface TableResource {
  /** "FAMILY: LABEL". */
  readonly title: string;
  readonly typeUrl: string;
  /** The field that contains the name. Absent: the case is about the name, and keeps it. */
  readonly nameField?: 'name' | 'clusterName';
  readonly resource: Json;
}

export function tableResources(): TableResource[] {
  const of = (title: string, { typeUrl, base }: Family, resource: Json): TableResource => {
    const nameField = 'clusterName' in base ? 'clusterName' : 'name';
    return { title, typeUrl, resource, ...(resource[nameField] === base[nameField] && { nameField }) };
  };
  return tables.flatMap(([name, { family, rows }]) => [
    of(`${name}: good`, family, family.base),
    ...family.mutations.map((one) => of(`${name}: ${one.label}`, family, mutate(family.base, one))),
    ...rows.map(([label, ...changes]) =>
      of(`${name}: ${label}`, family, mutate(family.base, ...pairsOf(changes))),
    ),
  ]);
}

/** Each case has a name of its own, so that one client can validate them all. */
export function conformanceCases(): ConformanceCase[] {
  return tableResources().map(({ title, typeUrl, nameField, resource }, index) => {
    const name = `case-${index + 1}`;
    const named = nameField === undefined ? resource : { ...resource, [nameField]: name };
    return { title, typeUrl, name, bytes: encodeResource(typeUrl, named) };
  });
}

function pairsOf(changes: readonly unknown[]): { at: string; value: unknown }[] {
  const pairs: { at: string; value: unknown }[] = [];
  for (let index = 0; index < changes.length; index += 2)
    pairs.push({ at: String(changes[index]), value: changes[index + 1] });
  return pairs;
}
