import { heldBody } from '../facts/effect';
import { findClustersWithoutEds } from '../model/clusters-without-eds';
import { isOnSameStream } from '../model/config-source';
import { hostHealthTypeUrl } from '../model/host-health';
import type { ModelOf } from '../model/model-of';
import type { ResourceModel } from '../model/parse-resource';
import { type Reference, referencesByKey } from '../model/references';
import type { LinkableRow } from '../model/resource-links';
import { isPatternReference } from '../model/resource-links';
import { resourceKey } from '../observation/client-state';
import { compareResourceKeys } from '../observation/compare-resource-keys';
import type { ResourceKey } from '../observation/resource-state';
import { CDS, EDS, formatResourceType, LDS, RDS, RTDS, SDS } from '../xds/resource-type';
import { type FileEvidence, readFileEvidence, whyNotInFile } from './not-in-file';

interface ReportRow extends LinkableRow {
  readonly isStatic: boolean;
  readonly isOnDemand?: true | undefined;
}

interface ReferenceReportInput {
  /** All resources of one client, without repetitions. */
  readonly rows: readonly ReportRow[];
  readonly modelOf: ModelOf;
  /** The client subscribes to each cluster by its name, so that it uses what it has. */
  readonly namesClusters?: boolean | undefined;
}

export interface Dangling extends ResourceKey {
  readonly usedBy: readonly (ResourceKey & Pick<Reference, 'how' | 'from'>)[];
  readonly reason: string;
}

export interface Orphan extends ResourceKey {
  readonly reason: string;
}

export interface ReferenceReport {
  readonly dangling: readonly Dangling[];
  readonly orphans: readonly Orphan[];
  /** Clusters to which the client subscribes, although no route names them. */
  readonly dynamic: readonly Orphan[];
}

interface Use {
  readonly by: ReportRow;
  readonly reference: Reference;
}

/** Types that every client reports. For other types, absence from a report has no meaning. */
const alwaysReported: ReadonlySet<string> = new Set([LDS.typeUrl, RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);

/** All references of one client. Iterates once over the rows and once over what is reachable from listeners. */
export function buildReferenceReport({
  rows,
  modelOf,
  namesClusters = false,
}: ReferenceReportInput): ReferenceReport {
  const byKey = new Map(rows.map((row) => [resourceKey(row), row]));
  const reportedTypes = new Set(rows.map(({ typeUrl }) => typeUrl));
  const usesOf = new Map<ReportRow, ReadonlyMap<string, Reference>>();
  const users = new Map<string, Use[]>();
  const clusters = new Map<string, ResourceModel | undefined>();
  for (const row of rows) {
    const hash = heldBody(row);
    const model = hash === undefined ? undefined : modelOf(hash, row.typeUrl);
    if (row.typeUrl === CDS.typeUrl) clusters.set(row.name, model);
    if (model === undefined) continue;
    const references = referencesByKey(model);
    usesOf.set(row, references);
    for (const [key, reference] of references) {
      const known = users.get(key);
      if (known === undefined) users.set(key, [{ by: row, reference }]);
      else known.push({ by: row, reference });
    }
  }
  const evidence = readFileEvidence((typeUrl) => rows.filter((row) => row.typeUrl === typeUrl));
  const dangling: Dangling[] = [];
  for (const uses of users.values()) {
    const expected = uses.filter(({ reference }) => isExpected(reference, reportedTypes));
    const [first] = expected;
    const reason = first === undefined ? '' : whyNotThere(first.reference, byKey, evidence);
    if (first === undefined || reason === '') continue;
    const { typeUrl, name } = first.reference;
    const usedBy = expected.map(({ by, reference: { how, from } }) => ({
      typeUrl: by.typeUrl,
      name: by.name,
      how,
      from,
    }));
    dangling.push({ typeUrl, name, usedBy: usedBy.sort(compareResourceKeys), reason });
  }
  const references = { rows, byKey, usesOf, users };
  const fromListeners = findReached(rows.filter(isRoot), references);
  // If no listener is reported, it is not known what routes name.
  const names = namesClusters && rows.some(({ typeUrl }) => typeUrl === LDS.typeUrl);
  const dynamic = rows.filter(
    (row) => row.typeUrl === CDS.typeUrl && !fromListeners.has(row) && (names || row.isOnDemand),
  );
  const reached = findReached([...fromListeners, ...dynamic], references);
  return {
    dangling: dangling.sort(compareResourceKeys),
    orphans: findOrphans(references, reached, findClustersWithoutEds(clusters)),
    dynamic: dynamic
      .map(({ typeUrl, name }) => ({ typeUrl, name, reason: subscribedDynamically }))
      .sort(compareResourceKeys),
  };
}

/**
 * Returns true if the client can lack the resource: it comes from a file or another server, or is a secret of the
 * bootstrap.
 */
function isExpected(reference: Reference, reportedTypes: ReadonlySet<string>): boolean {
  const { typeUrl, from } = reference;
  if (isPatternReference(reference) || (from !== undefined && !isOnSameStream(from))) return false;
  if (typeUrl === SDS.typeUrl && from === 'unset') return false;
  return alwaysReported.has(typeUrl) || reportedTypes.has(typeUrl);
}

/** Empty if the resource is present. */
function whyNotThere(
  { typeUrl, name }: ResourceKey,
  byKey: ReadonlyMap<string, ReportRow>,
  evidence: FileEvidence,
): string {
  const row = byKey.get(resourceKey({ typeUrl, name }));
  const isInHosts = byKey.has(resourceKey({ typeUrl: hostHealthTypeUrl, name }));
  if (row === undefined) return whyNotInFile(typeUrl, evidence, isInHosts) || 'the client does not hold it';
  if (heldBody(row) !== undefined) return '';
  if (row.clientStatus === 'DOES_NOT_EXIST') return 'the management server does not have it';
  if (row.clientStatus === 'REQUESTED') return 'requested; no response yet';
  return row.clientStatus === 'ACKED' || row.clientStatus === 'UNKNOWN'
    ? ''
    : 'the client accepted no version of it';
}

/** Listeners, resources of the bootstrap, and runtime layers (which the bootstrap names) need no reference. */
function isRoot({ typeUrl, isStatic }: ReportRow): boolean {
  return isStatic || typeUrl === LDS.typeUrl || typeUrl === RTDS.typeUrl;
}

const subscribedDynamically =
  'no route names it: a cluster specifier plugin does, or a request (is_dynamic, ODCDS)';

interface References {
  readonly rows: readonly ReportRow[];
  readonly byKey: ReadonlyMap<string, ReportRow>;
  readonly usesOf: ReadonlyMap<ReportRow, ReadonlyMap<string, Reference>>;
  readonly users: ReadonlyMap<string, readonly Use[]>;
}

function findReached(
  roots: readonly ReportRow[],
  { rows, byKey, usesOf }: References,
): ReadonlySet<ReportRow> {
  const reached = new Set<ReportRow>(roots);
  for (const row of reached) {
    // Iteration over a Set includes elements that are added during the iteration.
    for (const [key, reference] of usesOf.get(row) ?? []) {
      if (isPatternReference(reference)) {
        const prefix = reference.name.slice(0, -1);
        for (const each of rows) {
          if (each.typeUrl === reference.typeUrl && each.name.startsWith(prefix)) reached.add(each);
        }
        continue;
      }
      const target = byKey.get(key);
      if (target !== undefined) reached.add(target);
    }
  }
  return reached;
}

function findOrphans(
  { rows, users }: References,
  reached: ReadonlySet<ReportRow>,
  withoutEds: ReadonlySet<string>,
): Orphan[] {
  return (
    rows
      .filter((row) => !reached.has(row) && !(row.typeUrl === EDS.typeUrl && withoutEds.has(row.name)))
      // A row without a name stands for a rejected response, of which Envoy does not report the resources.
      .filter((row) => row.name !== '' || heldBody(row) !== undefined)
      .map((row) => {
        const { typeUrl, name } = row;
        const [user] = users.get(resourceKey(row)) ?? [];
        const reason =
          user === undefined
            ? 'nothing refers to it'
            : `only ${formatResourceType(user.by.typeUrl)} "${user.by.name}" refers to it, which is not reachable from a listener`;
        return { typeUrl, name, reason };
      })
      .sort(compareResourceKeys)
  );
}
