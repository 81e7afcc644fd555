import { parseResource } from '@/lib/model/parse-resource';
import { referencesOf } from '@/lib/model/references';
import { resourceKey } from '@/lib/observation/client-state';
import { findWarming } from '@/lib/observation/find-warming';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import type { ReportedResource } from '../../codec/codec';
import { decodeBody } from '../../codec/decode-body';
import { camelCase } from '../../codec/json/camel-case';
import { isJsonObject } from '../../codec/json/json-object';
import type { Body } from '../../observe';

/** The resources that a warming resource needs before it is used, by the resourceKey() of the warming one. */
export type Waits = ReadonlyMap<string, readonly ResourceKey[]>;

const limits = { resources: 500, names: 20 };

/** The endpoints and secrets that clusters need which warm. */
export function findClusterWaits(
  rows: readonly ReportedResource[],
  bodies: ReadonlyMap<string, Body>,
): Waits {
  const waits = new Map<string, readonly ResourceKey[]>();
  for (const row of rows) {
    if (waits.size >= limits.resources) break;
    const warming = row.typeUrl === CDS.typeUrl ? findWarming(row) : undefined;
    const body = bodies.get(warming?.hash ?? '');
    if (body === undefined) continue;
    const { json } = decodeBody(row.typeUrl, body.bytes, { asV3: true });
    const needed = referencesOf(parseResource(row.typeUrl, json))
      .filter(
        ({ typeUrl, from }) => from !== undefined && (typeUrl === EDS.typeUrl || typeUrl === SDS.typeUrl),
      )
      .map(({ typeUrl, name }) => ({ typeUrl, name }));
    waits.set(resourceKey(row), needed.slice(0, limits.names));
  }
  return waits;
}

const targets: readonly [RegExp, string][] = [
  [/\bRdsRouteConfigSubscription RDS init (.+)$/, RDS.typeUrl],
  [/\bSdsApi (.+)$/, SDS.typeUrl],
];

/** The routes and secrets that listeners wait for, by an answer to /init_dump. */
export function findListenerWaits(json: unknown): Waits {
  const waits = new Map<string, readonly ResourceKey[]>();
  for (const dump of listIn(json, 'unreadyTargetsDumps')) {
    const manager = isJsonObject(dump) ? dump.name : undefined;
    const listener = /^init manager Listener-local-init-manager (.+) \d+$/.exec(String(manager))?.[1];
    if (listener === undefined || waits.size >= limits.resources) continue;
    const names = listIn(dump, 'targetNames').flatMap((text) =>
      targets.flatMap(([pattern, typeUrl]) => {
        const name = pattern.exec(String(text))?.[1];
        return name === undefined ? [] : [{ typeUrl, name }];
      }),
    );
    waits.set(resourceKey({ typeUrl: LDS.typeUrl, name: listener }), names.slice(0, limits.names));
  }
  return waits;
}

function listIn(json: unknown, member: string): readonly unknown[] {
  if (!isJsonObject(json)) return [];
  const found = Object.entries(json).find(([key]) => camelCase(key) === member)?.[1];
  return Array.isArray(found) ? found : [];
}

/** Adds to resources that warm what they wait for. A secret that Envoy has is not waited for. */
export function applyWaits(rows: readonly ReportedResource[], all: readonly Waits[]): ReportedResource[] {
  const isWaited = all.some(({ size }) => size > 0);
  if (!isWaited) return [...rows];
  const held = new Set(
    rows.filter(({ stage, typeUrl }) => typeUrl === SDS.typeUrl && stage === 'active').map(resourceKey),
  );
  return rows.map((row) => {
    if (row.clientStatus === 'NACKED' || findWarming(row) === undefined) return row;
    const waits = all.flatMap((each) => each.get(resourceKey(row)) ?? []);
    const waitsFor = waits.filter((each) => !held.has(resourceKey(each)));
    return waitsFor.length === 0 ? row : { ...row, waitsFor };
  });
}
