import { whyNoEjection } from '../model/outlier-detection';
import type { ResourceRow } from '../observation/resource-row';
import type { ResourceKey } from '../observation/resource-state';
import type { GrpcClient } from '../xds/profile';
import { CDS, EDS, RDS } from '../xds/resource-type';
import type { Evidence, FindSymptom, Symptom } from './symptom';

/** Finds the clusters whose outlier detection has an effect in other clients, and none in this one. */
export function findNoEjection(client: GrpcClient): FindSymptom {
  return async ({ rows, readUse }) => {
    const { clusters } = await readUse();
    const names = clusters.flatMap(({ name, outlierDetection }) =>
      whyNoEjection(outlierDetection, client) === '' ? [] : [name],
    );
    return symptomOf(rows, keysOf(CDS.typeUrl, names));
  };
}

export async function findAdditionalAddresses({ rows, readUse }: Evidence): Promise<Symptom | undefined> {
  return symptomOf(rows, keysOf(EDS.typeUrl, (await readUse()).multiAddress));
}

/** A route configuration that has had other content before has no virtual host for the target now. */
export async function findKeptRoutes({ rows, history, readUse }: Evidence): Promise<Symptom | undefined> {
  const contents = new Map<string, Set<string>>();
  for (const observation of history) {
    for (const { typeUrl, name, clientStatus, hash } of 'changed' in observation ? observation.changed : []) {
      if (typeUrl !== RDS.typeUrl || clientStatus !== 'ACKED' || hash === null) continue;
      contents.set(name, (contents.get(name) ?? new Set()).add(hash));
    }
  }
  const { unmatchedRoutes } = await readUse();
  const changed = unmatchedRoutes.filter((name) => (contents.get(name)?.size ?? 0) > 1);
  return symptomOf(rows, keysOf(RDS.typeUrl, changed));
}

function keysOf(typeUrl: string, names: readonly string[]): ResourceKey[] {
  return [...new Set(names)].map((name) => ({ typeUrl, name }));
}

/** It begins with the oldest of these resources; undefined without resources. */
function symptomOf(rows: readonly ResourceRow[], resources: readonly ResourceKey[]): Symptom | undefined {
  const times = rows.flatMap(({ typeUrl, name, lastUpdated, changedAt }) =>
    resources.some((key) => key.typeUrl === typeUrl && key.name === name) ? [lastUpdated ?? changedAt] : [],
  );
  return times.length === 0 ? undefined : { since: Math.min(...times), resources };
}
