import { heldBody } from '@/lib/facts/effect';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { isTrouble, type Verdict } from '@/lib/validate/reactions';
import { clientOf, type Profile } from '@/lib/xds/profile';
import { requestsType } from '@/lib/xds/requested-types';
import { findResourceType, formatResourceType } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { CheckedBody } from '../../compute/validate/check-input';
import type { ClientSubject } from '../subjects/client-subjects';

export interface GivenRow {
  readonly row: ResourceRow;
  readonly verdicts: CheckedBody['verdicts'];
  readonly change: 'added' | 'changed' | 'equal';
  /** False if the client would reject it, or not request it. Hints reject nothing. */
  readonly isUsed: (client: { readonly profile: Profile; readonly isHint?: true | undefined }) => boolean;
}

type Key = Pick<ResourceRow, 'typeUrl' | 'name'>;

/** The resources of the input as the client would hold them in the end. The last one of equal names counts. */
export function rowsOf(
  bodies: readonly CheckedBody[],
  removals: readonly Key[],
  subject: ClientSubject | undefined,
): GivenRow[] {
  const held = new Map(subject?.rows.map((row) => [keyText(row), row]));
  const [first] = subject?.rows ?? [];
  const given = new Map<string, GivenRow>();
  for (const { name, body, verdicts } of bodies) {
    const { typeUrl, apiVersion } = readTypeUrl(body.typeUrl);
    const key = `${typeUrl} ${name}`;
    const before = held.get(key);
    const row: ResourceRow = {
      ...{ typeUrl, name, service: formatResourceType(typeUrl) },
      ...{ versionInfo: '', state: 'ACKED', clientStatus: 'ACKED', configStatus: 'UNKNOWN' },
      ...{ lastUpdated: null, errorState: null, hash: body.hash, sizeBytes: body.bytes.length },
      ...{ isStatic: before?.isStatic ?? false, changedAt: subject?.at ?? 0 },
      ...{ sourceId: before?.sourceId ?? first?.sourceId ?? '', side: 'client' },
      ...{ answer: null, effect: null, controlPlane: null },
      ...(before?.stage !== undefined && { stage: 'active' }),
      ...(apiVersion === 'v2' && { apiVersion }),
    };
    const change = before === undefined ? 'added' : before.hash === body.hash ? 'equal' : 'changed';
    const isUsed: GivenRow['isUsed'] = ({ profile, isHint }) =>
      requestsType(profile, typeUrl) && (isHint === true || !isRejected(verdicts[profile]));
    given.set(key, { row, verdicts, change, isUsed });
  }
  for (const removal of removals) given.delete(keyText(removal));
  return [...given.values()];
}

function isRejected(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && (isTrouble(verdict) || verdict === 'ACK_IGNORED');
}

/** What the client has of listeners and clusters that the input lacks, of the types of which the input has some. */
export function findAbsent(
  given: readonly GivenRow[],
  emptyTypes: readonly string[],
  subject: ClientSubject | undefined,
): ResourceRow[] {
  const names = new Set(given.map(({ row }) => keyText(row)));
  const types = new Set(
    [...given.map(({ row }) => row.typeUrl), ...emptyTypes].filter(
      (typeUrl) => findResourceType(typeUrl)?.absenceDeletes,
    ),
  );
  // The management server sends none of the bootstrap, and what a request caused is subscribed by its name.
  return (subject?.rows ?? []).filter(
    (row) =>
      types.has(row.typeUrl) &&
      !names.has(keyText(row)) &&
      !row.isStatic &&
      !row.isOnDemand &&
      heldBody(row) !== undefined,
  );
}

/** What the client has of the resources that the input removes by name. */
export function findNamed(removals: readonly Key[], subject: ClientSubject | undefined): ResourceRow[] {
  const named = new Set(removals.map(keyText));
  return (subject?.rows ?? []).filter(
    (row) => named.has(keyText(row)) && !row.isStatic && heldBody(row) !== undefined,
  );
}

/** The rows of the client after a push that has `given`, and removes `removed`. */
export function applyPush(
  rows: readonly ResourceRow[],
  given: readonly ResourceRow[],
  removed: readonly ResourceRow[],
  profile: Profile | undefined,
): readonly ResourceRow[] {
  const replaced = new Set([...given, ...removed].map(keyText));
  // A gRPC client reports what it is subscribed to, and Envoy what it has.
  const isReported = profile !== undefined && clientOf(profile) !== 'envoy';
  return [
    ...rows.filter((row) => !replaced.has(keyText(row))),
    ...given,
    ...(isReported ? removed.map(withoutExistence) : []),
  ].sort(compareResourceKeys);
}

function withoutExistence({ typeUrl, name, service, sourceId, side, changedAt }: ResourceRow): ResourceRow {
  return {
    ...{ typeUrl, name, service, sourceId, side, changedAt },
    ...{ versionInfo: '', state: 'DOES_NOT_EXIST', clientStatus: 'DOES_NOT_EXIST', configStatus: 'UNKNOWN' },
    ...{ lastUpdated: null, errorState: null, hash: null, sizeBytes: null, isStatic: false },
    ...{ answer: null, effect: null, controlPlane: null },
  };
}

function keyText({ typeUrl, name }: Key): string {
  return `${typeUrl} ${name}`;
}
